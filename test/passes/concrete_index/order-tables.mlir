// RUN: irtensor-opt %s --split-input-file -p order-tables | filecheck %s

#table = #storage.format<(i) -> (i : hashed)>
#list = #storage.format<(i) -> (i : compressed)>
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %a: tensor<?xf64, #storage.format<(i) -> (i : compressed)>> {storage.converts = 0 : index}
func.func @sum(%a: tensor<?xf64, #table>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #table>
      %1 = concrete_index.access %b[%i] : tensor<?xf64, #list>
      %s = algebra.apply add(%0, %1) : (f64, f64) -> f64
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
#list = #storage.format<(i) -> (i : compressed)>
// The result is appended to in order.
// CHECK-LABEL: func.func @append
// CHECK-SAME: {storage.converts = 0 : index}
func.func @append(%a: tensor<?xf64, #table>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #table>
      concrete_index.assign %0 into %out[%i] : tensor<?xf64, #list>
    }
  }
  func.return %y : tensor<?xf64, #list>
}
