// RUN: irtensor-opt %s --split-input-file -p skip-unread-sums | filecheck %s

// The sum is read behind the loop as well.
// CHECK-LABEL: func.func @read_elsewhere
// CHECK-NOT: loop.if
func.func @read_elsewhere(%pos: !loop.buffer<index>, %y: !loop.buffer<f64>, %o: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %k = %zero to %n {
    %v = loop.load %y[%k] : f64
    loop.set %v, %t : f64
  }
  %hi = loop.load %pos[%one] : index
  loop.for %p = %one to %hi {
    %s = loop.get %t : f64
    loop.store %s, %o[%p] : f64
  }
  %s = loop.get %t : f64
  loop.store %s, %o[%zero] : f64
  func.return
}

// -----

// The loop has another effect.
// CHECK-LABEL: func.func @other_effect
// CHECK-NOT: loop.if
func.func @other_effect(%pos: !loop.buffer<index>, %y: !loop.buffer<f64>, %o: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %k = %zero to %n {
    %v = loop.load %y[%k] : f64
    loop.store %none, %y[%k] : f64
    loop.set %v, %t : f64
  }
  %hi = loop.load %pos[%one] : index
  loop.for %p = %zero to %hi {
    %s = loop.get %t : f64
    loop.store %s, %o[%p] : f64
  }
  func.return
}

// -----

// A whole dimension has iterations.
// CHECK-LABEL: func.func @dense
// CHECK-NOT: loop.if
func.func @dense(%y: !loop.buffer<f64>, %o: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %k = %zero to %n {
    %v = loop.load %y[%k] : f64
    loop.set %v, %t : f64
  }
  loop.for %p = %zero to %n {
    %s = loop.get %t : f64
    loop.store %s, %o[%p] : f64
  }
  func.return
}

// -----

// The array of the bounds is written.
// CHECK-LABEL: func.func @changing
// CHECK-NOT: loop.if
func.func @changing(%pos: !loop.buffer<index>, %y: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %k = %zero to %n {
    %v = loop.load %y[%k] : f64
    loop.set %v, %t : f64
  }
  %hi = loop.load %pos[%one] : index
  loop.for %p = %zero to %hi {
    %s = loop.get %t : f64
    loop.store %s, %y[%p] : f64
    loop.store %zero, %pos[%p] : index
  }
  func.return
}

// -----

// The loop changes the sum itself, and what stands before it is a part of the result.
// CHECK-LABEL: func.func @goes_on
// CHECK-NOT: loop.if
func.func @goes_on(%pos: !loop.buffer<index>, %y: !loop.buffer<f64>, %o: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %k = %zero to %n {
    %v = loop.load %y[%k] : f64
    loop.set %v, %t : f64
  }
  %hi = loop.load %pos[%one] : index
  loop.for %p = %zero to %hi {
    %s = loop.get %t : f64
    %d = algebra.apply add(%s, %s) : (f64, f64) -> f64
    loop.set %d, %t : f64
    loop.store %s, %o[%p] : f64
  }
  func.return
}
