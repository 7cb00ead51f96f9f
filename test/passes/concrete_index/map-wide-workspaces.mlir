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

#places = #storage.format<(i, j, k) -> (i : accumulator, j : accumulator, k : accumulator)>
// Below a map nobody knows how many rows there will be, so that what has a place for each coordinate of k is one too.
// CHECK-LABEL: func.func @below
// CHECK: produce (%w) : tensor<?x?x?xf64, #storage.format<(i, j, k) -> (i : accumulator, j : map, k : map)>>
func.func @below(%A: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?x?xf64> {
    concrete_index.where produce (%w) : tensor<?x?x?xf64, #places> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          concrete_index.forall %k {
            %0 = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
            concrete_index.assign %0 into %w[%i, %j, %k] : tensor<?x?x?xf64, #places>
          }
        }
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          concrete_index.forall %k {
            %0 = concrete_index.access %v[%i, %j, %k] : tensor<?x?x?xf64, #places>
            concrete_index.assign %0 into %out[%i, %j, %k] : tensor<?x?x?xf64>
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?x?xf64>
}
