// RUN: irtensor-opt %s --split-input-file -p sum-in-lanes | filecheck %s

// A sum whose order counts.
// CHECK-LABEL: func.func @strict
// CHECK-NOT: vector
// CHECK: func.return
func.func @strict(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %v = loop.load %x[%c] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// All that is read lies one behind the other: LLVM makes wider vectors.
// CHECK-LABEL: func.func @contiguous
// CHECK-NOT: vector
// CHECK: func.return
func.func @contiguous(%pos: !loop.buffer<index>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// A loop over an extent, and one that stores.
// CHECK-LABEL: func.func @no_segments
// CHECK-NOT: vector
// CHECK: func.return
func.func @no_segments(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  loop.for %p = %begin to %i {
    %c = loop.load %crd[%p] : index
    %v = loop.load %x[%c] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.set %sum, %t : f64
  }
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %v = loop.load %x[%c] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.set %sum, %t : f64
    loop.store %sum, %y[%p] : f64
  }
  func.return
}

// -----

// Truth values fill no lanes; LLVM takes one vector at a time.
// CHECK-LABEL: func.func @truth
// CHECK: attributes {interleave = 1 : i64}
// CHECK-NOT: vector
// CHECK: func.return
func.func @truth(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<i1>, %t: !loop.cell<i1>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %v = loop.load %x[%c] : i1
    %s = loop.get %t : i1
    %any = arith.ori %s, %v : i1
    loop.set %any, %t : i1
  }
  func.return
}
