// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},precompute{expression="x[i1] * x[i1]" variables=i0 producer=b}' | filecheck %s
// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},precompute{expression="x[i1] * x[i1]" variables=i0 producer=b}' | irtensor-opt - | filecheck %s

// A partial sum for each block: the expression names the coordinate in a block, the workspace has a component for each
// block. The loops say that they count blocks, because they are indices as well. The producer's has a name of its own.
// CHECK-LABEL: func.func @dot
// CHECK: concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %b from %0 to %5 attributes {blocks} {
// CHECK-NEXT:     %lo = arith.muli %b, %4 : index
// CHECK-NEXT:     %6 = arith.addi %lo, %4 : index
// CHECK-NEXT:     %hi = arith.minsi %1, %6 : index
// CHECK-NEXT:     concrete_index.forall %i1 from %lo to %hi {
// CHECK-NEXT:       %a = concrete_index.access %x[%i1]
// CHECK-NEXT:       %p = algebra.apply mul(%a, %a) : (f64, f64) -> f64
// CHECK-NEXT:       concrete_index.assign add %p into %w[%b]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: } consume (%w_1) {
// CHECK-NEXT:   concrete_index.forall %i0 from %0 to %5 attributes {blocks} {
// CHECK-NEXT:     %7 = concrete_index.access %w_1[%i0]
// CHECK-NEXT:     concrete_index.assign add %7 into %out[]
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @dot(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      %p = algebra.apply mul(%a, %a) : (f64, f64) -> f64
      concrete_index.assign add %p into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
