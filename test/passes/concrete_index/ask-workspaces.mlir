// RUN: irtensor-opt %s -p ask-workspaces | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// One workspace would hold which components of the other one are stored, which records it.
// CHECK-LABEL: func.func @masked_product
// CHECK-NOT:  assign or
// CHECK:      concrete_index.where produce (%w)
// CHECK:        concrete_index.assign add %{{.*}} into %w[%j]
// CHECK:      consume (%v)
// CHECK:        [[V:%.*]] = concrete_index.access %v[%j_1]
// CHECK-NEXT:   [[S:%.*]] = algebra.apply stored([[V]])
// CHECK:        algebra.apply and([[S]], %{{.*}})
// CHECK-NOT:  assign or
func.func @masked_product(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %M: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
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
