// RUN: irtensor-opt %s -p 'vectorize{variable=j width=8}' | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The innermost loop, of which all accesses are dense.
// CHECK:      concrete_index.forall %k {
// CHECK-NEXT:   concrete_index.forall %j attributes {vectorize = 8 : i64} {
func.func @spmm(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
