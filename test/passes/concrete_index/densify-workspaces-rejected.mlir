// RUN: irtensor-opt %s -p densify-workspaces | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>

// A product has an entry where both have: the set says where.
// CHECK-LABEL: func.func @factor
// CHECK-NOT: (i : dense)>
func.func @factor(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
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
          %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
          concrete_index.assign %2 into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %N : tensor<?x?xf64, #csr>
}

// Nothing in the statement takes memory for an extent.
// CHECK-LABEL: func.func @compact
// CHECK-NOT: (i : dense)>
func.func @compact(%A: tensor<?x?xf64, #dcsr>) -> tensor<?x?xf64, #dcsr> {
  %N = concrete_index.compute (%out) : tensor<?x?xf64, #dcsr> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %l {
        concrete_index.forall %j {
          %0 = concrete_index.access %A[%l, %j] : tensor<?x?xf64, #dcsr>
          concrete_index.assign add %0 into %w[%j] : tensor<?xf64, #w>
        }
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dcsr>
          %1 = concrete_index.access %v[%j] : tensor<?xf64, #w>
          %2 = algebra.apply div(%0, %1) : (f64, f64) -> f64
          concrete_index.assign %2 into %out[%i, %j] : tensor<?x?xf64, #dcsr>
        }
      }
    }
  }
  func.return %N : tensor<?x?xf64, #dcsr>
}

// It is emptied for each row.
// CHECK-LABEL: func.func @once_for_each_row
// CHECK-NOT: (i : dense)>
func.func @once_for_each_row(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #w> {
        concrete_index.forall %j {
          %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %0 into %w[%j] : tensor<?xf64, #w>
        }
      } consume (%v) {
        concrete_index.forall %j {
          %0 = concrete_index.access %v[%j] : tensor<?xf64, #w>
          %1 = algebra.constant 1.0 : f64
          %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
          concrete_index.assign add %2 into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
