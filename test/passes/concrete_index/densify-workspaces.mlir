// RUN: irtensor-opt %s -p densify-workspaces | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>

// Each entry of A is divided by the sum of its column, whether or not there is one.
// CHECK-LABEL: func.func @columns
// CHECK: concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : dense)>>
// CHECK: concrete_index.assign add %{{.*}} into %w[%j] : tensor<?xf64, #storage.format<(i) -> (i : dense)>>
// CHECK: consume (%v)
// CHECK: concrete_index.access %v[%j_1] : tensor<?xf64, #storage.format<(i) -> (i : dense)>>
func.func @columns(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %N = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %l {
        concrete_index.forall %j {
          %0 = concrete_index.access %A[%l, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %0 into %w[%j] : tensor<?xf64, #w>
        }
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %1 = concrete_index.access %v[%j] : tensor<?xf64, #w>
          %2 = algebra.apply div(%0, %1) : (f64, f64) -> f64
          concrete_index.assign %2 into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %N : tensor<?x?xf64, #csr>
}
