// RUN: irtensor-opt %s --split-input-file -p empty-sets-by-entries | filecheck %s

// What was put in is taken out; without an entry, nothing is done.
// CHECK-LABEL: func.func @row
// CHECK-NOT: loop.clear
// CHECK: loop.for %i
// CHECK:   %[[HI:.*]] = loop.load %pos[%next]
// CHECK:   %[[ANY:.*]] = arith.cmpi slt, %lo, %[[HI]] : index
// CHECK:   loop.if %[[ANY]] attributes {unlikely} {
// CHECK:     loop.for %p = %lo to %[[HI]] {
// CHECK:       loop.insert
// CHECK:     loop.for %q
// CHECK:       loop.contains
// CHECK:     loop.for %[[R:.*]] = %lo to %[[HI]] {
// CHECK-NEXT:  %[[K:.*]] = loop.load %crd[%[[R]]] : index
// CHECK-NEXT:  {{.*}} = loop.remove %[[K]] from %s
// CHECK-NEXT: }
func.func @row(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %v: !loop.buffer<f64>, %n: index, %out: !loop.buffer<f64>, %w: !loop.buffer<f64>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.for %i = %zero to %n {
    %next = arith.addi %i, %one : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.clear %s
    loop.for %p = %lo to %hi {
      %k = loop.load %crd[%p] : index
      %x = loop.load %v[%p] : f64
      %was = loop.insert %k into %s
      loop.store %x, %w[%k] : f64
    }
    loop.for %q = %zero to %n {
      %k = loop.load %crd[%q] : index
      %is = loop.contains %k in %s
      loop.if %is {
        %x = loop.load %w[%k] : f64
        loop.store %x, %out[%q] : f64
      }
    }
  }
  func.return
}

// -----

// Something is done without members, too.
// CHECK-LABEL: func.func @otherwise
// CHECK-NOT: loop.clear
// CHECK-NOT: unlikely
// CHECK: loop.remove
func.func @otherwise(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    loop.clear %s
    loop.for %p = %zero to %i {
      %k = loop.load %crd[%p] : index
      %was = loop.insert %k into %s
    }
    loop.for %q = %zero to %n {
      %is = loop.contains %q in %s
      loop.if %is {
        loop.store %i, %out[%q] : index
      } else {
        loop.store %q, %out[%q] : index
      }
    }
  }
  func.return
}
