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

// -----

// Sums of which the least is looked for: it is found among 64 of them at a time.
// CHECK-LABEL: func.func @least_sum
// CHECK: %batch = loop.data
// CHECK: loop.for [[B:%[a-z0-9_]+]] =
// CHECK: [[START:%[a-z0-9_]+]] = arith.muli [[B]]
// CHECK: [[END:%[a-z0-9_]+]] = arith.minsi {{%[a-z0-9_]+}}, %m
// CHECK: loop.for [[P:%[a-z0-9_]+]] = [[START]] to [[END]]
// CHECK: loop.for %k
// CHECK: loop.store {{%[a-z0-9_]+}}, %batch[
// CHECK: loop.for [[Q:%[a-z0-9_]+]] = [[START]] to [[END]]
// CHECK-NOT: loop.for
// CHECK: loop.load %batch[
// CHECK-NEXT: loop.load %y[%n]
// CHECK-NEXT: arith.minimumf
// CHECK-NEXT: loop.store {{%[a-z0-9_]+}}, %y[%n]
// CHECK: func.return
func.func @least_sum(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  loop.for %j = %0 to %m {
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %old = loop.load %y[%n] : f64
    %new = arith.minimumf %old, %sum : f64
    loop.store %new, %y[%n] : f64
  }
  func.return
}

// -----

// The same with a cell.
// CHECK-LABEL: func.func @sum_of_sums
// CHECK: loop.store {{%[a-z0-9_]+}}, %batch[
// CHECK: loop.load %batch[
// CHECK-NEXT: loop.get %s
// CHECK-NEXT: arith.addf
// CHECK-NEXT: loop.set {{%[a-z0-9_]+}}, %s
func.func @sum_of_sums(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %s = loop.cell %zero : f64
  loop.for %j = %0 to %m {
    %before = loop.get %s : f64
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %after = arith.addf %before, %sum : f64
    loop.set %after, %s : f64
  }
  %all = loop.get %s : f64
  loop.store %all, %y[%0] : f64
  func.return
}
