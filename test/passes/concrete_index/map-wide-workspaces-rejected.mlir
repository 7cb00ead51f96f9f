// What stays as it is: workspaces along other dimensions, and dense ones, which somebody asked for.
// RUN: irtensor-opt %s -p 'map-wide-workspaces{huge=i,k}' | filecheck %s
// RUN: irtensor-opt %s -p 'map-wide-workspaces{large=i,j}' | filecheck %s --check-prefix=LARGE

#rows = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// CHECK-LABEL: func.func @product
// CHECK-NOT: map
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

#list = #storage.format<(i) -> (i : compressed)>
// CHECK-LABEL: func.func @dense
// CHECK-NOT: map
func.func @dense(%a: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %i {
        %0 = concrete_index.access %a[%i] : tensor<?xf64, #list>
        concrete_index.assign %0 into %w[%i] : tensor<?xf64>
      }
    } consume (%v) {
      concrete_index.forall %i {
        %0 = concrete_index.access %v[%i] : tensor<?xf64>
        concrete_index.assign %0 into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#set = #storage.format<(i) -> (i : accumulator)>
// The result takes memory for the extent of i, so that as much for that of j is no matter.
// LARGE-LABEL: func.func @dense_rows
// LARGE: concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
func.func @dense_rows(%A: tensor<?x?xf64, #rows>, %B: tensor<?x?xf64, #rows>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #set> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %0 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #rows>
            %1 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #rows>
            %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
            concrete_index.assign add %p into %w[%j] : tensor<?xf64, #set>
          }
        }
      } consume (%v) {
        concrete_index.forall %j {
          %0 = concrete_index.access %v[%j] : tensor<?xf64, #set>
          concrete_index.assign %0 into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
