// RUN: not irtensor-opt %s -p split-blocked-dimensions 2>&1 | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#blocked = #storage.format<(i) -> (i floordiv 2 : dense, i mod 2 : dense)>
func.func @row_sums(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64, #blocked> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #blocked> {
    %zero = arith.constant 0 : index
    concrete_index.forall %i {
      %n = concrete_index.entry_count %A[%i] levels 1 : tensor<?x?xf64, #csr>
      concrete_index.forall %j from %zero to %n {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64, #blocked>
      }
    }
  }
  func.return %y : tensor<?xf64, #blocked>
}

// CHECK:      {{.*}}:10:7: error: [blocked-range] the range of loop j is computed from i, of which there is a loop over blocks of 2, in which a tensor is stored
// CHECK-NEXT:         concrete_index.forall %j from %zero to %n {
// CHECK-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: cut j by coordinates, and not fused with i, or convert the tensor to a format without blocks
