// RUN: irtensor-opt %s --split-input-file -p batch-sums{size=64} | filecheck %s

// A sum, and a row that is added times it to the same row: two loops for 64 iterations at a time. The loads that the
// second loop needs as well are repeated, the sum is not.
// CHECK-LABEL: func.func @row_times_sum
// CHECK: [[ROOM:%[a-z0-9_]+]] = loop.scratch : f64
// CHECK: loop.reserve [[ROOM]], {{%[a-z0-9_]+}} : f64
// CHECK: %batch = loop.data [[ROOM]] : f64
// CHECK: loop.for [[B:%[a-z0-9_]+]] =
// CHECK: [[START:%[a-z0-9_]+]] = arith.muli [[B]]
// CHECK: [[END:%[a-z0-9_]+]] = arith.minsi {{%[a-z0-9_]+}}, %m
// CHECK: loop.for [[P:%[a-z0-9_]+]] = [[START]] to [[END]]
// CHECK: loop.for %k
// CHECK: loop.set
// CHECK: [[SUM:%[a-z0-9_]+]] = loop.get
// CHECK-NEXT: [[PLACE:%[a-z0-9_]+]] = arith.subi [[P]], [[START]]
// CHECK-NEXT: loop.store [[SUM]], %batch[[[PLACE]]]
// CHECK: loop.for [[Q:%[a-z0-9_]+]] = [[START]] to [[END]]
// CHECK-NOT: loop.cell
// CHECK: [[AT:%[a-z0-9_]+]] = arith.subi [[Q]], [[START]]
// CHECK-NEXT: loop.load %batch[[[AT]]]
// CHECK: loop.load %crd[[[Q]]]
// CHECK: loop.for %d
// CHECK: loop.store {{%[a-z0-9_]+}}, %y[%d]
// CHECK: func.return
func.func @row_times_sum(%x: !loop.buffer<f64>, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  loop.for %p = %0 to %m {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.for %d = %0 to %n {
      %at = arith.addi %j, %d : index
      %v = loop.load %x[%at] : f64
      %old = loop.load %y[%d] : f64
      %w = arith.mulf %sum, %v : f64
      %new = arith.addf %old, %w : f64
      loop.store %new, %y[%d] : f64
    }
  }
  func.return
}
