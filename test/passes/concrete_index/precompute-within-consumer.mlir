// RUN: irtensor-opt %s -p 'precompute{expression="u[j] + D[i,j]" variables=j}' | filecheck %s

// Both sides read what the temporary around them is for, so that neither side can do without it: it stays around both.
// CHECK-LABEL: func.func @squares
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%v) : tensor<?xf64> {
// CHECK:        } consume (%u) {
// CHECK-NEXT:     concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:       concrete_index.forall %j_1 {
// CHECK-NEXT:         %t = concrete_index.access %u[%j_1]
// CHECK-NEXT:         %d = concrete_index.access %D[%i, %j_1]
// CHECK-NEXT:         %e = algebra.apply add(%t, %d)
// CHECK-NEXT:         concrete_index.assign %e into %w[%j_1]
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%w_1) {
// CHECK-NEXT:       concrete_index.forall %j_2 {
// CHECK-NEXT:         %0 = concrete_index.access %w_1[%j_2]
// CHECK-NEXT:         %t_1 = concrete_index.access %u[%j_2]
// CHECK-NEXT:         %p = algebra.apply mul(%t_1, %0)
// CHECK-NEXT:         concrete_index.assign %p into %out[%i, %j_2]
func.func @squares(%B: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%v) : tensor<?xf64> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
            concrete_index.assign add %b into %v[%j] : tensor<?xf64>
          }
        }
      } consume (%u) {
        concrete_index.forall %j {
          %t = concrete_index.access %u[%j] : tensor<?xf64>
          %d = concrete_index.access %D[%i, %j] : tensor<?x?xf64>
          %e = algebra.apply add(%t, %d) : (f64, f64) -> f64
          %p = algebra.apply mul(%t, %e) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}
