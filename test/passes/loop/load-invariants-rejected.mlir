// RUN: irtensor-opt %s --split-input-file -p load-invariants | filecheck %s

// The array changes meanwhile.
// CHECK-LABEL: func.func @written
// CHECK-NOT: loop.if
// CHECK: func.return
func.func @written(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %n attributes {unroll = 1 : i64, vectorize = 1 : i64} {
    %v = loop.load %a[%n] : f64
    loop.store %v, %a[%p] : f64
  }
  func.return
}

// -----

// LLVM takes loads out of loops of which it may make vectors.
// CHECK-LABEL: func.func @not_settled
// CHECK-NOT: loop.if
// CHECK: func.return
func.func @not_settled(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %n {
    %v = loop.load %a[%n] : f64
    loop.store %v, %b[%p] : f64
  }
  loop.for %q = %zero to %n attributes {vectorize = 8 : i64} {
    %w = loop.load %a[%n] : f64
    loop.store %w, %b[%q] : f64
  }
  func.return
}

// -----

// The place follows from what the iteration reads.
// CHECK-LABEL: func.func @varying
// CHECK-NOT: loop.if
// CHECK: func.return
func.func @varying(%crd: !loop.buffer<index>, %a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %place = loop.cell %zero : index
  loop.for %p = %zero to %n attributes {unroll = 1 : i64, vectorize = 1 : i64} {
    %i = loop.load %crd[%p] : index
    %l = arith.addi %i, %n : index
    %v = loop.load %a[%l] : f64
    %m = loop.get %place : index
    %w = loop.load %a[%m] : f64
    %x = arith.addf %v, %w : f64
    loop.store %x, %b[%p] : f64
    loop.set %i, %place : index
  }
  func.return
}

// -----

// Not all iterations load it, or there are loops inside.
// CHECK-LABEL: func.func @not_in_each_iteration
// CHECK: loop.for
// CHECK-NEXT: loop.load %crd
// CHECK: loop.if
// CHECK-NEXT: loop.load %a[%n]
// CHECK: func.return
func.func @not_in_each_iteration(%crd: !loop.buffer<index>, %a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %n attributes {unroll = 1 : i64, vectorize = 1 : i64} {
    %i = loop.load %crd[%p] : index
    %some = arith.cmpi slt, %i, %n : index
    loop.if %some {
      %v = loop.load %a[%n] : f64
      loop.store %v, %b[%p] : f64
    }
  }
  func.return
}

// -----

// What is the same without a load stays where it is.
// CHECK-LABEL: func.func @no_load
// CHECK-NOT: loop.if
// CHECK: func.return
func.func @no_load(%a: !loop.buffer<index>, %b: !loop.buffer<index>, %n: index) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %n attributes {unroll = 1 : i64, vectorize = 1 : i64} {
    %m = arith.muli %n, %n : index
    %v = loop.load %a[%p] : index
    %w = arith.addi %v, %m : index
    loop.store %w, %b[%p] : index
  }
  func.return
}
