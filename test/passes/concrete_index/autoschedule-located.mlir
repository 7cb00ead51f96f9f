// RUN: irtensor-opt %s -p 'autoschedule{program="(forall ikj: A[i,j] += B[l(i),s(k)] * w[s(j),l(k)]) where (forall jk: w[i(j),l(k)] = C[l(j),s(k)] * D[l(j),s(k)])"}' | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A workspace has a place for each coordinate along which it is located where it is written, and a hash table below each.
// CHECK-LABEL: func.func @intersected
func.func @intersected(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>, %D: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%A) : tensor<?x?xf64> {
    // CHECK: concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : map)>> {
    // CHECK-NEXT: concrete_index.forall %j {
    // CHECK-NEXT: concrete_index.forall %k {
    // CHECK: concrete_index.assign %{{.*}} into %w[%k, %j]
    // CHECK: consume (%w_1) {
    // CHECK-NEXT: concrete_index.forall %i {
    // CHECK-NEXT: concrete_index.forall %k_1 {
    // CHECK-NEXT: concrete_index.forall %j_1 {
    // CHECK: concrete_index.access %w_1[locate %k_1, step %j_1]
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %C[%j, %k] : tensor<?x?xf64, #csr>
          %d = concrete_index.access %D[%j, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%c, %d) : (f64, f64) -> f64
          %q = algebra.apply mul(%b, %p) : (f64, f64) -> f64
          concrete_index.assign add %q into %A[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}
