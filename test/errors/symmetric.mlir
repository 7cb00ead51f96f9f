// RUN: not irtensor-opt %s -p expand-symmetric 2>&1 | filecheck %s --check-prefix=RESULT
// RUN: not irtensor-opt %s -p lower-concrete-index-to-iteration-lattice 2>&1 | filecheck %s --check-prefix=STAGE

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @f(%A: tensor<?x?xf64, #sym>) -> tensor<?x?xf64, #sym> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #sym> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #sym>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #sym>
}

// RESULT:      {{.*}}:6:8: error: [symmetric-result] 'y' would be written (i, j) -> (i : dense, j : compressed), symmetric, and only operands are symmetric
// RESULT-NEXT:   %y = concrete_index.compute (%out) : tensor<?x?xf64, #sym> {
// RESULT-NEXT:        ^^^^^^^^^^^^^^^^^^^^^^
// RESULT-NEXT: help: compute it as (i, j) -> (i : dense, j : compressed), and convert that: .to_format('(i, j) -> (i : dense, j : compressed), symmetric')

// STAGE:      {{.*}}:9:14: error: [wrong-stage] 'A' is stored (i, j) -> (i : dense, j : compressed), symmetric, and read without its mirrors
// STAGE-NEXT:         %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
// STAGE-NEXT:              ^^^^^^^^^^^^^^^^^^^^^
// STAGE-NEXT: help: run expand-symmetric before
