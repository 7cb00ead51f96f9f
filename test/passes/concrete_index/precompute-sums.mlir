// RUN: irtensor-opt %s -p 'precompute{expression="exp(sum(k, v[k] * Y[i,k]))" variables=i}' | filecheck %s
// RUN: irtensor-opt %s -p 'precompute{expression="sum(k, Y[i,k] * v[k])" variables=i}' | filecheck %s --check-prefix=SUM

// The sum is computed with what is precomputed of it, in loops outside of the one over j.
// CHECK-LABEL: func.func @f
// CHECK:         concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:      concrete_index.forall %i {
// CHECK-NEXT:        concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:          concrete_index.forall %k {
// CHECK:                 concrete_index.assign add %{{.*}} into %t[] : tensor<f64>
// CHECK:             } consume (%t_1) {
// CHECK:               [[exp:%.*]] = algebra.apply exp(%{{.*}})
// CHECK-NEXT:          concrete_index.assign [[exp]] into %w[%i] : tensor<?xf64>
// CHECK:         } consume (%w_1) {
// CHECK-NEXT:      concrete_index.forall %j {
// CHECK-NEXT:        concrete_index.forall
// CHECK-NOT:         exp
// CHECK:             concrete_index.assign add %{{.*}} into %{{.*}}[%j] : tensor<?xf64>

// SUM-LABEL: func.func @f
// SUM:         } consume (%t_1) {
// SUM-NEXT:      [[sum:%.*]] = concrete_index.access %t_1[] : tensor<f64>
// SUM-NEXT:      concrete_index.assign [[sum]] into %w[%i] : tensor<?xf64>
func.func @f(%X: tensor<?x?xf64>, %Y: tensor<?x?xf64>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %0 = concrete_index.access %Y[%i, %k] : tensor<?x?xf64>
            %1 = concrete_index.access %v[%k] : tensor<?xf64>
            %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
            concrete_index.assign add %2 into %t[] : tensor<f64>
          }
        } consume (%t_1) {
          %3 = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
          %4 = concrete_index.access %t_1[] : tensor<f64>
          %5 = algebra.apply exp(%4) : (f64) -> f64
          %6 = algebra.apply mul(%3, %5) : (f64, f64) -> f64
          concrete_index.assign add %6 into %r[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}
