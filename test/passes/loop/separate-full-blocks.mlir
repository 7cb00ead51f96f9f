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

// Iterations are counted from where a block begins; the last block is shorter.
// CHECK-LABEL: func.func @counted
// CHECK:      [[FULL:%[0-9]+]] = arith.divsi
// CHECK:      loop.for %b = %zero to [[MIDDLE:%[0-9]+]] {
// CHECK:        loop.for %i = %zero to %four {
// CHECK:      loop.for [[B:%b[_0-9]*]] = [[MIDDLE]] to %blocks {
// CHECK:        [[LENGTH:%length[_0-9]*]] = arith.minsi %four
// CHECK:        loop.for {{%i[_0-9]*}} = %zero to [[LENGTH]] {
func.func @counted(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %blocks: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  loop.for %b = %zero to %blocks {
    %first = arith.muli %b, %four : index
    %left = arith.subi %n, %first : index
    %length = arith.minsi %four, %left : index
    loop.for %i = %zero to %length {
      %place = arith.addi %first, %i : index
      %v = loop.load %x[%place] : f64
      loop.store %v, %y[%place] : f64
    }
  }
  func.return
}

// -----

// The number of a block is read: whether it is full is asked.
// CHECK-LABEL: func.func @read
// CHECK:      [[LENGTH:%length]] = arith.minsi %four
// CHECK-NEXT: [[IS:%[0-9]+]] = arith.cmpi eq, [[LENGTH]], %four : index
// CHECK-NEXT: loop.if [[IS]] {
// CHECK-NEXT:   loop.for %i = %zero to %four {
// CHECK:      } else {
// CHECK-NEXT:   loop.for {{%i[_0-9]*}} = %zero to [[LENGTH]] {
func.func @read(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %first = arith.muli %c, %four : index
    %left = arith.subi %n, %first : index
    %length = arith.minsi %four, %left : index
    loop.for %i = %zero to %length {
      %place = arith.addi %first, %i : index
      %v = loop.load %x[%place] : f64
      loop.store %v, %y[%place] : f64
    }
  }
  func.return
}
