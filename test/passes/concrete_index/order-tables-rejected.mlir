// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p order-tables | filecheck %s

#table = #storage.format<(i) -> (i : hashed)>
#list = #storage.format<(i) -> (i : compressed)>
// In a product it is looked up where the list has an entry.
// CHECK-LABEL: func.func @product
// CHECK-NOT: storage.converts
func.func @product(%a: tensor<?xf64, #table>, %b: tensor<?xf64, #list>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #table>
      %1 = concrete_index.access %b[%i] : tensor<?xf64, #list>
      %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
      concrete_index.assign %p into %out[%i] : tensor<?xf64, #list>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
// Alone it is walked, beside what is dense it is looked up.
// CHECK-LABEL: func.func @dense
// CHECK-NOT: storage.converts
func.func @dense(%a: tensor<?xf64, #table>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #table>
      %1 = concrete_index.access %b[%i] : tensor<?xf64>
      %s = algebra.apply add(%0, %1) : (f64, f64) -> f64
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
#list = #storage.format<(i) -> (i : compressed)>
// What is to be located is looked up, whatever is appended in the order of the loop.
// CHECK-LABEL: func.func @located
// CHECK-NOT: storage.converts
func.func @located(%a: tensor<?xf64, #table>, %b: tensor<?xf64>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[locate %i] : tensor<?xf64, #table>
      %1 = concrete_index.access %b[%i] : tensor<?xf64>
      %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
      concrete_index.assign %p into %out[%i] : tensor<?xf64, #list>
    }
  }
  func.return %y : tensor<?xf64, #list>
}
