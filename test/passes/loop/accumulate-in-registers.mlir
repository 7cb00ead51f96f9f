// RUN: irtensor-opt %s -p 'hoist-invariants,accumulate-in-registers{registers=2}' | filecheck %s

// Strips of 16, then 8 elements are kept in vectors over the whole sparse row; the rest of a row stays as it was.
// CHECK-LABEL: func.func @rows_times_matrix
func.func @rows_times_matrix(%begin: index, %end: index, %i: index, %n: index, %crd: !loop.buffer<i32>,
                             %a: !loop.buffer<f64>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  // CHECK: loop.for %{{.*}} = %{{.*}} to
  // CHECK: loop.load %y[%{{.*}}] : vector<8xf64>
  // CHECK-NEXT: loop.load %y[%{{.*}}] : vector<8xf64>
  // CHECK-NEXT: loop.cell %{{.*}} : vector<8xf64>
  // CHECK-NEXT: loop.cell %{{.*}} : vector<8xf64>
  // CHECK-NEXT: loop.for %{{.*}} = %begin to %end {
  // CHECK-NOT: loop.for
  // CHECK: loop.load %x[%{{.*}}] : vector<8xf64>
  // CHECK: vector.broadcast %{{.*}} : f64 to vector<8xf64>
  // CHECK: arith.mulf %{{.*}} : vector<8xf64>
  // CHECK: arith.addf %{{.*}} : vector<8xf64>
  // CHECK: loop.set %{{.*}} : vector<8xf64>
  // CHECK: loop.store %{{.*}}, %y[%{{.*}}] : vector<8xf64>
  // CHECK: loop.store %{{.*}}, %y[%{{.*}}] : vector<8xf64>
  // CHECK: loop.if
  // CHECK: loop.for %{{.*}} = %begin to %end {
  // CHECK: loop.if
  // CHECK: loop.for %{{.*}} = %begin to %end {
  // CHECK: loop.for %{{.*}} = %{{.*}} to %n {
  // CHECK: loop.store %{{.*}}, %y[%{{.*}}] : f64
  loop.for %p = %begin to %end {
    %c32 = loop.load %crd[%p] : i32
    %c = arith.index_cast %c32 : i32 to index
    %v = loop.load %a[%p] : f64
    %row = arith.muli %c, %n : index
    loop.for %j = %zero to %n {
      %from = arith.addi %row, %j : index
      %b = loop.load %x[%from] : f64
      %m = arith.mulf %v, %b : f64
      %target = arith.muli %i, %n : index
      %to = arith.addi %target, %j : index
      %old = loop.load %y[%to] : f64
      %new = arith.addf %old, %m : f64
      loop.store %new, %y[%to] : f64
    }
  }
  func.return
}

// Narrower elements fill a register with more lanes; any operator will do.
// CHECK-LABEL: func.func @smallest
// CHECK: arith.minsi %{{.*}} : vector<16xi32>
func.func @smallest(%begin: index, %end: index, %n: index, %x: !loop.buffer<i32>, %y: !loop.buffer<i32>) {
  %zero = arith.constant 0 : index
  loop.for %p = %begin to %end {
    %row = arith.muli %p, %n : index
    loop.for %j = %zero to %n {
      %from = arith.addi %row, %j : index
      %b = loop.load %x[%from] : i32
      %old = loop.load %y[%j] : i32
      %new = arith.minsi %old, %b : i32
      loop.store %new, %y[%j] : i32
    }
  }
  func.return
}
