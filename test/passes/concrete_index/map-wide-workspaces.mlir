// RUN: irtensor-opt %s -p 'map-wide-workspaces{indices=j}' | filecheck %s

#rows = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// CHECK-LABEL: func.func @product
// CHECK: concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : map)>>
// CHECK: concrete_index.assign add %{{.*}} into %w[%j] : tensor<?xf64, #storage.format<(i) -> (i : map)>>
// CHECK: consume (%v)
// CHECK: concrete_index.access %v[%j_1] : tensor<?xf64, #storage.format<(i) -> (i : map)>>
func.func @product(%A: tensor<?x?xf64, #rows>, %B: tensor<?x?xf64, #rows>) -> tensor<?x?xf64, #rows> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #rows> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #w> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %0 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #rows>
            %1 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #rows>
            %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
            concrete_index.assign add %p into %w[%j] : tensor<?xf64, #w>
          }
        }
      } consume (%v) {
        concrete_index.forall %j {
          %0 = concrete_index.access %v[%j] : tensor<?xf64, #w>
          concrete_index.assign %0 into %out[%i, %j] : tensor<?x?xf64, #rows>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #rows>
}
