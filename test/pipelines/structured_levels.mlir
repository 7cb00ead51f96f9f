// What loops over structured levels look like: bounds, and no comparisons in the loop.
// RUN: irtensor-opt %s --split-input-file --index-notation-to-loop | filecheck %s

// A point has no loop: one entry is there, or none.
// CHECK-LABEL: @point
// CHECK: loop.for %i = %{{.*}} to %A_n0
// CHECK-NOT: loop.for
// CHECK-NOT: loop.while
// CHECK: [[Q:%.*]] = loop.load %A_crd1[%i] : i64
// CHECK: [[C:%.*]] = arith.index_cast [[Q]]
// CHECK: [[E:%.*]] = arith.addi [[C]], %{{.*}} : index
// CHECK: arith.maxsi %{{.*}}, [[C]]
// CHECK: [[HAS:%.*]] = arith.cmpi slt, %{{.*}}, [[E]]
// CHECK: loop.if [[HAS]]
// CHECK: loop.load %x_vals
// CHECK-NOT: loop.for
// CHECK: loop.store
#point = #storage.format<(i, j) -> (i : dense, j : point)>
func.func @point(%A: tensor<?x?xf64, #point>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #point>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
