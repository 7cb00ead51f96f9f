// RUN: irtensor-opt %s --split-input-file -p sum-in-masked-lanes | filecheck %s

// A sum whose order counts.
// CHECK-LABEL: func.func @strict
// CHECK-NOT: vector
// CHECK: func.return
func.func @strict(%pos: !loop.buffer<index>, %crd: !loop.buffer<i32>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %v = loop.load %x[%c] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// A loop over an extent, and one that stores.
// CHECK-LABEL: func.func @no_segments
// CHECK-NOT: vector
// CHECK: func.return
func.func @no_segments(%pos: !loop.buffer<index>, %crd: !loop.buffer<i32>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  loop.for %p = %begin to %i {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %v = loop.load %x[%c] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.set %sum, %t : f64
  }
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %v = loop.load %x[%c] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.set %sum, %t : f64
    loop.store %sum, %y[%p] : f64
  }
  func.return
}

// -----

// Truth values fill no lanes.
// CHECK-LABEL: func.func @truth
// CHECK-NOT: vector
// CHECK: func.return
func.func @truth(%pos: !loop.buffer<index>, %crd: !loop.buffer<i32>, %x: !loop.buffer<i1>, %t: !loop.cell<i1>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %v = loop.load %x[%c] : i1
    %s = loop.get %t : i1
    %any = arith.ori %s, %v : i1
    loop.set %any, %t : i1
  }
  func.return
}

// -----

// Elements of rows, which a coordinate does not count by itself.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: vector
// CHECK: func.return
func.func @rows(%pos: !loop.buffer<index>, %crd: !loop.buffer<i32>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index, %n: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %e = arith.addi %c, %n : index
    %v = loop.load %x[%e] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc> : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// A function of a library, and a choice by a truth value.
// CHECK-LABEL: func.func @called
// CHECK-NOT: vector
// CHECK: func.return
func.func @called(%pos: !loop.buffer<index>, %crd: !loop.buffer<i32>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index, %y: f64) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %v = loop.load %x[%c] : f64
    %w = math.exp %v fastmath<afn> : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %w fastmath<reassoc> : f64
    loop.set %sum, %t : f64
  }
  loop.for %p = %begin to %end {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %v = loop.load %x[%c] : f64
    %less = arith.cmpf olt, %v, %y : f64
    %w = arith.select %less, %v, %y : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %w fastmath<reassoc> : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// The least number.
// CHECK-LABEL: func.func @least
// CHECK-NOT: vector
// CHECK: func.return
func.func @least(%pos: !loop.buffer<index>, %crd: !loop.buffer<i8>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : i8
    %j = arith.index_cast %c : i8 to index
    %w = loop.load %x[%j] : f64
    %s = loop.get %t : f64
    %less = arith.minimumf %s, %w : f64
    loop.set %less, %t : f64
  }
  func.return
}

// -----

// All that is read lies one behind the other.
// CHECK-LABEL: func.func @contiguous
// CHECK-NOT: vector
// CHECK: func.return
func.func @contiguous(%pos: !loop.buffer<index>, %x: !loop.buffer<f32>, %t: !loop.cell<f32>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : f32
    %s = loop.get %t : f32
    %sum = arith.addf %s, %v fastmath<reassoc> : f32
    loop.set %sum, %t : f32
  }
  func.return
}

// -----

// Products of wide integers take longer than reading them.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: vector
// CHECK: func.return
func.func @wide(%pos: !loop.buffer<index>, %crd: !loop.buffer<i32>, %x: !loop.buffer<i64>, %t: !loop.cell<i64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %k = loop.load %crd[%p] : i32
    %c = arith.index_cast %k : i32 to index
    %v = loop.load %x[%c] : i64
    %s = loop.get %t : i64
    %sum = arith.addi %s, %v : i64
    loop.set %sum, %t : i64
  }
  func.return
}
