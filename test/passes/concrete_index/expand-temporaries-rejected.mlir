// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p expand-temporaries | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// In storage order already: the scalar stays.
// CHECK-LABEL: func.func @rows
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
func.func @rows(%A: tensor<?x?xf64, #csr>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%u) {
        %s = concrete_index.access %u[] : tensor<f64>
        %c = concrete_index.access %b[%i] : tensor<?xf64>
        %r = algebra.apply add(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
