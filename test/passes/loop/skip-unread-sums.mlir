// RUN: irtensor-opt %s --split-input-file -p skip-unread-sums | filecheck %s

// The bounds of the loop that reads the sum are known before the sum is computed.
// CHECK-LABEL: func.func @row
// CHECK:      %t = loop.cell
// CHECK:      [[LO:%.*]] = loop.load %pos[%i]
// CHECK:      [[HI:%.*]] = loop.load %pos[%next]
// CHECK:      [[ANY:%.*]] = arith.cmpi slt, [[LO]], [[HI]] : index
// CHECK-NEXT: loop.if [[ANY]] {
// CHECK-NEXT:   loop.for %k
// CHECK:      loop.for %p = [[LO]] to [[HI]] {
func.func @row(%pos: !loop.buffer<index>, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>, %o: !loop.buffer<f64>, %i: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %k = %zero to %n {
    %v = loop.load %y[%k] : f64
    %old = loop.get %t : f64
    %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
    loop.set %new, %t : f64
  }
  %lo = loop.load %pos[%i] : index
  %hi = loop.load %pos[%next] : index
  loop.for %p = %lo to %hi {
    %v = loop.load %x[%p] : f64
    %s = loop.get %t : f64
    %m = algebra.apply mul(%v, %s) : (f64, f64) -> f64
    loop.store %m, %o[%p] : f64
  }
  func.return
}

// -----

// A sum in two loops is skipped with both of them.
// CHECK-LABEL: func.func @two_loops
// CHECK:      loop.if
// CHECK-NEXT:   loop.for %k
// CHECK:      loop.if
// CHECK-NEXT:   loop.for %l
// CHECK:      loop.for %p
func.func @two_loops(%pos: !loop.buffer<index>, %y: !loop.buffer<f64>, %o: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %k = %zero to %n {
    %v = loop.load %y[%k] : f64
    loop.set %v, %t : f64
  }
  loop.for %l = %zero to %n {
    %v = loop.load %y[%l] : f64
    %old = loop.get %t : f64
    %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
    loop.set %new, %t : f64
  }
  %hi = loop.load %pos[%one] : index
  loop.for %p = %zero to %hi {
    %s = loop.get %t : f64
    loop.store %s, %o[%p] : f64
  }
  func.return
}
