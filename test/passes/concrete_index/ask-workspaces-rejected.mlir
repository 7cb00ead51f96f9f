// RUN: irtensor-opt %s --split-input-file -p ask-workspaces | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// The sum of two is an entry where one of them is, and not only where both are.
// CHECK-LABEL: func.func @another_condition
// CHECK:      concrete_index.assign or %{{.*}} into %s[%j]
// CHECK:      concrete_index.access %t[%j
func.func @another_condition(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %M: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.where produce (%s) : tensor<?xi1, #w> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %0 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %1 = algebra.apply stored(%0) : (f64) -> i1
            %2 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
            %3 = algebra.apply stored(%2) : (f64) -> i1
            %4 = algebra.apply and(%1, %3) : (i1, i1) -> i1
            concrete_index.assign or %4 into %s[%j] : tensor<?xi1, #w>
          }
        }
      } consume (%t) {
        concrete_index.where produce (%w) : tensor<?xf64, #w> {
          concrete_index.forall %k {
            concrete_index.forall %j {
              %5 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
              %6 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
              %7 = algebra.apply add(%5, %6) : (f64, f64) -> f64
              concrete_index.assign add %7 into %w[%j] : tensor<?xf64, #w>
            }
          }
        } consume (%v) {
          concrete_index.forall %j {
            %8 = concrete_index.access %t[%j] : tensor<?xi1, #w>
            %9 = concrete_index.access %M[%i, %j] : tensor<?x?xf64, #csr>
            %10 = algebra.apply stored(%9) : (f64) -> i1
            %11 = algebra.apply and(%8, %10) : (i1, i1) -> i1
            %12 = concrete_index.access %v[%j] : tensor<?xf64, #w>
            %13 = algebra.constant absent 0.0 : f64
            %14 = algebra.apply where(%11, %12, %13) entry : (i1, f64, f64) -> f64
            concrete_index.assign %14 into %out[%i, %j] : tensor<?x?xf64, #csr>
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#bits = #storage.format<(i, j) -> (i : dense, j : bitmap)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// What is looked up may be absent where a component is written.
// CHECK-LABEL: func.func @looked_up
// CHECK:      concrete_index.assign or %{{.*}} into %s[%j]
// CHECK:      concrete_index.access %t[%j
func.func @looked_up(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #bits>, %M: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.where produce (%s) : tensor<?xi1, #w> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %0 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %1 = algebra.apply stored(%0) : (f64) -> i1
            %2 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #bits>
            %3 = algebra.apply stored(%2) : (f64) -> i1
            %4 = algebra.apply and(%1, %3) : (i1, i1) -> i1
            concrete_index.assign or %4 into %s[%j] : tensor<?xi1, #w>
          }
        }
      } consume (%t) {
        concrete_index.where produce (%w) : tensor<?xf64, #w> {
          concrete_index.forall %k {
            concrete_index.forall %j {
              %5 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
              %6 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #bits>
              %7 = algebra.apply mul(%5, %6) : (f64, f64) -> f64
              concrete_index.assign add %7 into %w[%j] : tensor<?xf64, #w>
            }
          }
        } consume (%v) {
          concrete_index.forall %j {
            %8 = concrete_index.access %t[%j] : tensor<?xi1, #w>
            %9 = concrete_index.access %M[%i, %j] : tensor<?x?xf64, #csr>
            %10 = algebra.apply stored(%9) : (f64) -> i1
            %11 = algebra.apply and(%8, %10) : (i1, i1) -> i1
            %12 = concrete_index.access %v[%j] : tensor<?xf64, #w>
            %13 = algebra.constant absent 0.0 : f64
            %14 = algebra.apply where(%11, %12, %13) entry : (i1, f64, f64) -> f64
            concrete_index.assign %14 into %out[%i, %j] : tensor<?x?xf64, #csr>
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// In exact arithmetic, a product is computed where one factor has an entry.
// CHECK-LABEL: func.func @exact
// CHECK:      concrete_index.assign or %{{.*}} into %s[%j]
// CHECK:      concrete_index.access %t[%j
func.func @exact(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %M: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.where produce (%s) : tensor<?xi1, #w> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %0 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %1 = algebra.apply stored(%0) : (f64) -> i1
            %2 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
            %3 = algebra.apply stored(%2) : (f64) -> i1
            %4 = algebra.apply and(%1, %3) : (i1, i1) -> i1
            concrete_index.assign or %4 into %s[%j] : tensor<?xi1, #w>
          }
        }
      } consume (%t) {
        concrete_index.where produce (%w) : tensor<?xf64, #w> {
          concrete_index.forall %k {
            concrete_index.forall %j {
              %5 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
              %6 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
              %7 = algebra.apply mul(%5, %6) exact : (f64, f64) -> f64
              concrete_index.assign add %7 into %w[%j] : tensor<?xf64, #w>
            }
          }
        } consume (%v) {
          concrete_index.forall %j {
            %8 = concrete_index.access %t[%j] : tensor<?xi1, #w>
            %9 = concrete_index.access %M[%i, %j] : tensor<?x?xf64, #csr>
            %10 = algebra.apply stored(%9) : (f64) -> i1
            %11 = algebra.apply and(%8, %10) : (i1, i1) -> i1
            %12 = concrete_index.access %v[%j] : tensor<?xf64, #w>
            %13 = algebra.constant absent 0.0 : f64
            %14 = algebra.apply where(%11, %12, %13) entry : (i1, f64, f64) -> f64
            concrete_index.assign %14 into %out[%i, %j] : tensor<?x?xf64, #csr>
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
