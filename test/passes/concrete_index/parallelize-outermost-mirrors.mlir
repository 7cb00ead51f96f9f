// RUN: irtensor-opt -p parallelize-outermost,concordize,lower-concrete-index-to-iteration-lattice %s | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// Iterations of i add to the components of i, and of j: both into the copy that a part has.
// CHECK-LABEL: @both
// CHECK: iteration_lattice.update add %A_2 {{.*}}races "temporary"
// CHECK: iteration_lattice.update add %A_2 {{.*}}races "temporary"
func.func @both(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %r[%i] : tensor<?xf64>
        concrete_index.assign add %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
