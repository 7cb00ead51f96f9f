// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="B[i,j] * x[j]" variables=i}' | filecheck %s

// Both sides need the loop over j, and a temporary lies between it and the loop over i: that goes into both sides of it,
// so that the two may change places.
// CHECK-LABEL: func.func @sum
// CHECK:      concrete_index.where produce (%t) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:       concrete_index.forall %i {
// CHECK:              concrete_index.assign {{.*}} into %w[%i] : tensor<?xf64>
// CHECK:          } consume (%w_1) {
// CHECK-NEXT:       concrete_index.forall %i_1 {
// CHECK:              concrete_index.assign add {{.*}} into %t[%i_1] : tensor<?xf64>
// CHECK:      } consume (%u) {
// CHECK-NEXT:   concrete_index.forall %i_2 {
func.func @sum(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
          %c = concrete_index.access %x[%j] : tensor<?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
          %q = algebra.apply mul(%a, %p) : (f64, f64) -> f64
          concrete_index.assign add %q into %t[] : tensor<f64>
        }
      } consume (%u) {
        %v = concrete_index.access %u[] : tensor<f64>
        %s = algebra.apply exp(%v) : (f64) -> f64
        concrete_index.assign %s into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
