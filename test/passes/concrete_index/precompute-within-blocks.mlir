// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},precompute{expression="x[i1] * x[i1]" variables=i1 producer=p},parallelize{variable=i0}' | filecheck %s

// The workspace has room for one block: it is indexed by the place in the block. Nothing is shared between blocks: the
// producer's loop is cut as the consumer's is, each by itself, so that blocks are told apart by what is stored there.
// CHECK-LABEL: func.func @squares
// CHECK: concrete_index.forall %i0 from %0 to %5 attributes {parallel = "none"} {
// CHECK-NEXT:   %lo = arith.muli %i0, %4 : index
// CHECK-NEXT:   %6 = arith.addi %lo, %4 : index
// CHECK-NEXT:   %hi = arith.minsi %1, %6 : index
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:     concrete_index.forall %p from %lo to %hi {
// CHECK-NEXT:       %7 = arith.subi %p, %lo : index
// CHECK-NEXT:       concrete_index.let %p_1 = %7 {
// CHECK-NEXT:         %a = concrete_index.access %x[%p]
// CHECK-NEXT:         %p_2 = algebra.apply mul(%a, %a) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign %p_2 into %w[%p_1]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%w_1) {
// CHECK-NEXT:     concrete_index.forall %i1 from %lo to %hi {
// CHECK-NEXT:       %8 = arith.subi %i1, %lo : index
// CHECK-NEXT:       concrete_index.let %i1_1 = %8 {
// CHECK-NEXT:         %9 = concrete_index.access %w_1[%i1_1]
// CHECK-NEXT:         concrete_index.assign %9 into %out[%i1]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @squares(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      %p = algebra.apply mul(%a, %a) : (f64, f64) -> f64
      concrete_index.assign %p into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
