// What ordering the loops reports where no pass before it made an order possible, word for word.
// RUN: sh -c 'irtensor-opt %s --split-input-file -p concretize,choose-loop-order 2>&1 >%t.output; echo exit $?' | filecheck %s --strict-whitespace

// CHECK: {{.*}}reorder.mlir:[[# @LINE + 12]]:8: error: [output-needs-workspace] level 1 (j : compressed) of 'A' is written out of order by the loop over k: 'C' needs loop k before j, result 'A' is appended in order of j, so the loop over k goes inside
// CHECK-NEXT:     %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: {{.*}}reorder.mlir:[[# @LINE + 12]]:12: note: 'C' is stored (i, j) -> (i : dense, j : compressed)
// CHECK-NEXT:         %c = index_notation.access %C[%k, %j] : tensor<?x?xf64, #csr>
// CHECK-NEXT:              ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: {{.*}}reorder.mlir:[[# @LINE + 6]]:8: note: 'A' is stored (i, j) -> (i : dense, j : compressed)
// CHECK-NEXT:     %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: store 'A' dense in that dimension, or collect its entries in a workspace (insert-workspaces)
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @output_needs_workspace(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
    %s = index_notation.reduce add (%k) : f64 {
      %b = index_notation.access %B[%i, %k] : tensor<?x?xf64, #csr>
      %c = index_notation.access %C[%k, %j] : tensor<?x?xf64, #csr>
      %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %A : tensor<?x?xf64, #csr>
}
