// RUN: irtensor-opt %s --split-input-file -p hint-loops | filecheck %s

// The end of a segment is read from memory, and the loop around it holds a loop.
// CHECK-LABEL: func.func @segment
// CHECK: loop.for %i = %lo to %hi attributes {unroll = 1 : i64} {
// CHECK:   loop.for %p = %begin to %end attributes {interleave = 1 : i64} {
// CHECK: func.return
func.func @segment(%pos: !loop.buffer<i64>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    %b = loop.load %pos[%i] : i64
    %begin = arith.index_cast %b : i64 to index
    %one = arith.constant 1 : index
    %j = arith.addi %i, %one : index
    %e = loop.load %pos[%j] : i64
    %end = arith.index_cast %e : i64 to index
    loop.for %p = %begin to %end {
      %v = loop.load %x[%p] : f64
      loop.set %v, %t : f64
    }
  }
  func.return
}

// -----

// Vectors are asked for in a short loop: no more of them are taken at once than it has, and it stays a loop until then.
// CHECK-LABEL: func.func @short
// CHECK: loop.for %i = %lo to %hi attributes {vectorize = 4 : i64, unroll = 1 : i64, interleave = 2 : i64} {
func.func @short(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %n: index) {
  %c = arith.constant 8 : index
  %end = arith.addi %lo, %c : index
  %hi = arith.minsi %n, %end : index
  loop.for %i = %lo to %hi attributes {vectorize = 4 : i64} {
    %v = loop.load %x[%i] : f64
    loop.set %v, %t : f64
  }
  func.return
}

// -----

// CHECK-LABEL: func.func @long
// CHECK: loop.for %i = %lo to %hi attributes {vectorize = 4 : i64} {
func.func @long(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi attributes {vectorize = 4 : i64} {
    %v = loop.load %x[%i] : f64
    loop.set %v, %t : f64
  }
  func.return
}

// -----

// LLVM makes vectors of so few iterations only if it needs no comparison before, such as of the length of a row with 1.
// CHECK-LABEL: func.func @rows
// CHECK: loop.for %i = %lo to %hi {
func.func @rows(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %row: index) {
  %c = arith.constant 8 : index
  %hi = arith.addi %lo, %c : index
  loop.for %i = %lo to %hi attributes {vectorize = 4 : i64} {
    %start = arith.muli %i, %row : index
    %v = loop.load %x[%start] : f64
    loop.set %v, %t : f64
  }
  func.return
}

// -----

// A row whose length is known needs none.
// CHECK-LABEL: func.func @known_rows
// CHECK: loop.for %i = %lo to %hi attributes {vectorize = 4 : i64, unroll = 1 : i64, interleave = 2 : i64} {
func.func @known_rows(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %c = arith.constant 8 : index
  %row = arith.constant 3 : index
  %hi = arith.addi %lo, %c : index
  loop.for %i = %lo to %hi attributes {vectorize = 4 : i64} {
    %start = arith.muli %i, %row : index
    %v = loop.load %x[%start] : f64
    loop.set %v, %t : f64
  }
  func.return
}

// -----

// What only some iterations add to one element is not summed in vectors.
// CHECK-LABEL: func.func @conditional
// CHECK: loop.for %i = %lo to %hi {
func.func @conditional(%x: !loop.buffer<i1>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %place: index, %v: f64) {
  loop.for %i = %lo to %hi attributes {vectorize = 4 : i64} {
    %c = loop.load %x[%i] : i1
    loop.if %c {
      %before = loop.load %y[%place] : f64
      %sum = arith.addf %before, %v : f64
      loop.store %sum, %y[%place] : f64
    }
  }
  func.return
}

// -----

// A part of a segment is short as well.
// CHECK-LABEL: func.func @part_of_segment
// CHECK: loop.for %p = %first to %last attributes {interleave = 1 : i64} {
func.func @part_of_segment(%x: !loop.buffer<f64>, %pos: !loop.buffer<i64>, %t: !loop.cell<f64>, %i: index, %first: index) {
  %e = loop.load %pos[%i] : i64
  %end = arith.index_cast %e : i64 to index
  %c = arith.constant 16 : index
  %past = arith.addi %first, %c : index
  %last = arith.minsi %past, %end : index
  loop.for %p = %first to %last {
    %v = loop.load %x[%p] : f64
    loop.set %v, %t : f64
  }
  func.return
}
