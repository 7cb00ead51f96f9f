// RUN: irtensor-opt %s --split-input-file -p unroll-and-jam | filecheck %s

// Both rows of a block are in one loop, where each element of %d is loaded once. Rows that overlap, and blocks of fewer
// rows, have the loops as they were.
// CHECK-LABEL: func.func @blocks
// CHECK:        %to = arith.muli %at, %m : index
// CHECK:        %to_1 = arith.muli %at_1, %m : index
// CHECK:        [[WHOLE:%[0-9]+]] = arith.cmpi eq, %rows, {{%[0-9]+}} : index
// CHECK-NEXT:   [[APART:%[0-9]+]] = arith.subi %to_1, %to : index
// CHECK-NEXT:   [[LONG:%[0-9]+]] = arith.cmpi sge, [[APART]], %n : index
// CHECK-NEXT:   [[FITS:%[0-9]+]] = arith.andi [[WHOLE]], [[LONG]] : i1
// CHECK-NEXT:   loop.if [[FITS]] {
// CHECK-NEXT:     %c_1 = loop.view %c[%to] : f64
// CHECK-NEXT:     %c_2 = loop.view %c[%to_1] : f64
// CHECK-NEXT:     loop.for %p
// CHECK-NOT:      loop.for %i
// CHECK:          loop.for %j
// CHECK:            loop.load %a
// CHECK-NEXT:       loop.load %a
// CHECK:            loop.for %f = %0 to %n attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK:              loop.load %d
// CHECK-NOT:          loop.load %d
// CHECK:              loop.store %new, %c_1[%f] : f64
// CHECK-NEXT:         loop.store %new_1, %c_2[%f] : f64
// CHECK:        } else {
// CHECK:          loop.for %p_1
// CHECK:            loop.for %i = %0 to %rows {
// CHECK:              loop.for %f_1 = %0 to %n attributes {unroll = 1 : i64, vectorize = 1 : i64} {
func.func @blocks(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}
