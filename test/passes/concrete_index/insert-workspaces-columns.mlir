// RUN: irtensor-opt %s -p 'insert-workspaces{rows=false}' | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Threads next to each other read neighbouring columns of %B at a time: the result is appended as it stands.
// CHECK-LABEL: func.func @full_rows
// CHECK-NOT:   concrete_index.where
func.func @full_rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
