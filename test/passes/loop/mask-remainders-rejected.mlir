// RUN: irtensor-opt %s --split-input-file -p mask-remainders | filecheck %s

// A sum whose order counts.
// CHECK-LABEL: func.func @strict
// CHECK-NOT: mask
// CHECK: func.return
func.func @strict(%pos: !loop.buffer<index>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// A loop over an extent: LLVM's own remainder is run once, after many vectors.
// CHECK-LABEL: func.func @extent
// CHECK-NOT: mask
// CHECK: func.return
func.func @extent(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// A store, a cell that keeps the last value, an inner loop: no sums.
// CHECK-LABEL: func.func @no_sum
// CHECK-NOT: mask
// CHECK: func.return
func.func @no_sum(%pos: !loop.buffer<index>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : f64
    loop.set %v, %t : f64
  }
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.store %sum, %x[%p] : f64
  }
  loop.for %p = %begin to %end {
    loop.for %q = %begin to %p {
      %v = loop.load %x[%q] : f64
      %s = loop.get %t : f64
      %sum = arith.addf %s, %v fastmath<reassoc> : f64
      loop.set %sum, %t : f64
    }
  }
  func.return
}

// -----

// A division may trap in a lane that is masked.
// CHECK-LABEL: func.func @traps
// CHECK-NOT: mask
// CHECK: func.return
func.func @traps(%pos: !loop.buffer<index>, %x: !loop.buffer<i64>, %t: !loop.cell<i64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : i64
    %s = loop.get %t : i64
    %q = arith.divsi %v, %v : i64
    %sum = arith.addi %s, %q : i64
    loop.set %sum, %t : i64
  }
  func.return
}
