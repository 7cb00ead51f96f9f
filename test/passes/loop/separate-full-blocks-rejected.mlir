// RUN: irtensor-opt %s --split-input-file -p separate-full-blocks | filecheck %s

// The size of a block is not known.
// CHECK-LABEL: func.func @size
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
func.func @size(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %size: index, %blocks: index) {
  %zero = arith.constant 0 : index
  loop.for %b = %zero to %blocks {
    %lo = arith.muli %b, %size : index
    %end = arith.addi %lo, %size : index
    %hi = arith.minsi %n, %end : index
    loop.for %i = %lo to %hi {
      %v = loop.load %x[%i] : f64
      loop.store %v, %y[%i] : f64
    }
  }
  func.return
}

// -----

// The limit is another one in each iteration.
// CHECK-LABEL: func.func @limit
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
func.func @limit(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %ends: !loop.buffer<index>, %blocks: index) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  loop.for %b = %zero to %blocks {
    %n = loop.load %ends[%b] : index
    %lo = arith.muli %b, %eight : index
    %end = arith.addi %lo, %eight : index
    %hi = arith.minsi %n, %end : index
    loop.for %i = %lo to %hi {
      %v = loop.load %x[%i] : f64
      loop.store %v, %y[%i] : f64
    }
  }
  func.return
}

// -----

// What whole vectors leave of a long block does not count.
// CHECK-LABEL: func.func @long
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
func.func @long(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %blocks: index) {
  %zero = arith.constant 0 : index
  %size = arith.constant 65 : index
  loop.for %b = %zero to %blocks {
    %lo = arith.muli %b, %size : index
    %end = arith.addi %lo, %size : index
    %hi = arith.minsi %n, %end : index
    loop.for %i = %lo to %hi {
      %v = loop.load %x[%i] : f64
      loop.store %v, %y[%i] : f64
    }
  }
  func.return
}

// -----

// The loop inside stays as it is, with or without a fixed number of iterations.
// CHECK-LABEL: func.func @hint
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
func.func @hint(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %blocks: index) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  loop.for %b = %zero to %blocks {
    %lo = arith.muli %b, %eight : index
    %end = arith.addi %lo, %eight : index
    %hi = arith.minsi %n, %end : index
    loop.for %i = %lo to %hi attributes {unroll = 1 : i64, vectorize = 1 : i64} {
      %v = loop.load %x[%i] : f64
      loop.store %v, %y[%i] : f64
    }
  }
  func.return
}

// -----

// Rows of sixteen are vectors by themselves.
// CHECK-LABEL: func.func @long_rows
// CHECK-NOT: loop.if
func.func @long_rows(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %m: index, %b: index, %begin: index, %end: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  %row = arith.muli %b, %four : index
  %below = arith.subi %n, %row : index
  %rows = arith.minsi %four, %below : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %first = arith.muli %c, %sixteen : index
    %left = arith.subi %m, %first : index
    %columns = arith.minsi %sixteen, %left : index
    loop.for %i = %zero to %rows {
      loop.for %j = %zero to %columns {
        %place = arith.addi %first, %j : index
        %v = loop.load %x[%place] : f64
        %old = loop.load %y[%i] : f64
        %new = arith.addf %old, %v : f64
        loop.store %new, %y[%i] : f64
      }
    }
  }
  func.return
}

// -----

// Nothing is added up that registers could hold.
// CHECK-LABEL: func.func @copy
// CHECK-NOT: loop.if
func.func @copy(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %m: index, %b: index, %begin: index, %end: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %row = arith.muli %b, %four : index
  %below = arith.subi %n, %row : index
  %rows = arith.minsi %four, %below : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %first = arith.muli %c, %four : index
    %left = arith.subi %m, %first : index
    %columns = arith.minsi %four, %left : index
    loop.for %i = %zero to %rows {
      loop.for %j = %zero to %columns {
        %place = arith.addi %first, %j : index
        %v = loop.load %x[%place] : f64
        loop.store %v, %y[%place] : f64
      }
    }
  }
  func.return
}
