// RUN: irtensor-opt %s --split-input-file -p separate-full-blocks | filecheck %s

// Blocks of 8 that end before %n have 8 iterations each; those behind keep the end that is computed.
// CHECK-LABEL: func.func @blocks
// CHECK:      [[FULL:%[0-9]+]] = arith.divsi {{%[0-9]+}}, {{%[0-9]+}} : index
// CHECK:      [[FIRST:%[0-9]+]] = arith.minsi %blocks, [[FULL]] : index
// CHECK:      [[MIDDLE:%[0-9]+]] = arith.maxsi %zero, [[FIRST]] : index
// CHECK-NEXT: loop.for %b = %zero to [[MIDDLE]] {
// CHECK-NEXT:   [[LO:%lo[_0-9]*]] = arith.muli %b, %eight : index
// CHECK-NEXT:   [[END:%end[_0-9]*]] = arith.addi [[LO]], %eight : index
// CHECK-NEXT:   loop.for %i = [[LO]] to [[END]] {
// CHECK:      loop.for [[B:%b[_0-9]*]] = [[MIDDLE]] to %blocks {
// CHECK:        [[HI:%hi[_0-9]*]] = arith.minsi %n, {{%end[_0-9]*}} : index
// CHECK-NEXT:   loop.for {{%i[_0-9]*}} = {{%lo[_0-9]*}} to [[HI]] {
func.func @blocks(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %blocks: index) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  loop.for %b = %zero to %blocks {
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

// Blocks of a window are counted from where it begins.
// CHECK-LABEL: func.func @window
// CHECK:      [[ROOM:%[0-9]+]] = arith.subi %n, %first : index
// CHECK:      arith.maxsi [[ROOM]], {{%[0-9]+}} : index
// CHECK-COUNT-2: loop.for %b
func.func @window(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %first: index, %n: index, %blocks: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  loop.for %b = %zero to %blocks {
    %offset = arith.muli %b, %four : index
    %lo = arith.addi %first, %offset : index
    %end = arith.addi %lo, %four : index
    %hi = arith.minsi %end, %n : index
    loop.for %i = %lo to %hi {
      %v = loop.load %x[%i] : f64
      loop.store %v, %y[%i] : f64
    }
  }
  func.return
}

// -----

// Loops over a block that is stored as one begin with 0: whether both are full is asked.
// CHECK-LABEL: func.func @stored
// CHECK:      [[ROWS:%rows]] = arith.minsi %four
// CHECK:      [[COLUMNS:%columns]] = arith.minsi %four
// CHECK-NEXT: [[ONE:%[0-9]+]] = arith.cmpi eq, [[ROWS]], %four : index
// CHECK-NEXT: [[OTHER:%[0-9]+]] = arith.cmpi eq, [[COLUMNS]], %four : index
// CHECK-NEXT: [[BOTH:%[0-9]+]] = arith.andi [[ONE]], [[OTHER]] : i1
// CHECK-NEXT: loop.if [[BOTH]] {
// CHECK-NEXT:   loop.for %i = %zero to %four {
// CHECK-NEXT:     loop.for %j = %zero to %four {
// CHECK:      } else {
// CHECK-NEXT:   loop.for {{%i[_0-9]*}} = %zero to [[ROWS]] {
// CHECK-NEXT:     loop.for {{%j[_0-9]*}} = %zero to [[COLUMNS]] attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK-NOT:  loop.if
func.func @stored(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %m: index, %b: index, %begin: index, %end: index) {
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
        %old = loop.load %y[%i] : f64
        %new = arith.addf %old, %v : f64
        loop.store %new, %y[%i] : f64
      }
    }
  }
  func.return
}
