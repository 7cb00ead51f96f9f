// RUN: not irtensor-opt %s -p expand-symmetric 2>&1 | filecheck %s

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @f(%A: tensor<?x?xf64, #sym>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %A[%i, %i] : tensor<?x?xf64, #sym>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// CHECK:      {{.*}}:7:12: error: [symmetric-operand] 'A', stored (i, j) -> (i : dense, j : compressed), symmetric, is not read for an entry and its mirrors at once: one index is in two of its dimensions
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %i] : tensor<?x?xf64, #sym>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: store it (i, j) -> (i : dense, j : compressed), or allow conversions (convert=True; the pass match-symmetric)
