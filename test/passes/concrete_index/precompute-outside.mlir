// RUN: irtensor-opt %s -p 'precompute{expression="B[i,k] * C[k,j]" variables=j}' | filecheck %s

// Both sides need the loop over k, which is inside of the one over j: the two change places.
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %k {
// CHECK-NEXT:     concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK:        } consume (%w_1) {
// CHECK-NEXT:       concrete_index.forall %j_1 {
func.func @inside(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
          %q = algebra.apply mul(%p, %d) : (f64, f64) -> f64
          concrete_index.assign %q into %out[%i, %j, %k] : tensor<?x?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?x?xf64>
}
