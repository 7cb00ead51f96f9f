// RUN: irtensor-opt %s --split-input-file -p separate-common-range | filecheck %s

// Elements from the greatest beginning to the least end are in a loop of their own. Those before and behind are in the
// loops that there were, which run twice.
// CHECK-LABEL: func.func @diagonals
// CHECK:        [[FIRST:%[0-9]+]] = loop.cell {{%[0-9]+}} : index
// CHECK:        [[LEAST:%[0-9]+]] = loop.cell {{%[0-9]+}} : index
// CHECK-NEXT:   loop.for {{%[0-9]+}} = %begin to %end attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK:          arith.maxsi {{%[0-9]+}}, %lo : index
// CHECK:          arith.minsi {{%[0-9]+}}, %hi : index
// CHECK:        [[LONG:%[0-9]+]] = arith.cmpi sge, {{%[0-9]+}}, {{%[0-9]+}} : index
// CHECK-NEXT:   [[SOME:%[0-9]+]] = arith.cmpi slt, %begin, %end : index
// CHECK-NEXT:   [[USED:%[0-9]+]] = arith.andi [[LONG]], [[SOME]] : i1
// CHECK:        [[A:%[0-9]+]] = arith.select [[USED]], {{%[0-9]+}}, [[NOWHERE:%[0-9]+]] : index
// CHECK-NEXT:   [[B:%[0-9]+]] = arith.select [[USED]], {{%[0-9]+}}, [[NOWHERE]] : index
// CHECK-NEXT:   loop.for %p = %begin to %end {
// CHECK:          loop.for %i = [[A]] to [[B]] {
// CHECK:        loop.for [[SIDE:%[0-9]+]] = {{%[0-9]+}} to {{%[0-9]+}} attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK:          [[FROM:%[0-9]+]] = arith.select {{%[0-9]+}}, {{%[0-9]+}}, [[B]] : index
// CHECK:          [[TO:%[0-9]+]] = arith.select {{%[0-9]+}}, [[A]], {{%[0-9]+}} : index
// CHECK:          loop.for %p_1 = %begin to %end {
// CHECK:            [[LO:%[0-9]+]] = arith.maxsi %lo{{[_0-9]+}}, [[FROM]] : index
// CHECK-NEXT:       [[HI:%[0-9]+]] = arith.minsi %hi{{[_0-9]+}}, [[TO]] : index
// CHECK-NEXT:       loop.for %i_1 = [[LO]] to [[HI]] {
func.func @diagonals(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %begin to %end {
    %d = loop.load %crd[%p] : index
    %lo = arith.maxsi %0, %d : index
    %top = arith.addi %n, %d : index
    %hi = arith.minsi %n, %top : index
    %row = arith.muli %p, %n : index
    loop.for %i = %lo to %hi {
      %pa = arith.addi %row, %i : index
      %v = loop.load %a[%pa] : f64
      %old = loop.load %y[%i] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}
