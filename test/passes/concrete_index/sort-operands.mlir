// RUN: irtensor-opt %s --split-input-file -p sort-operands | filecheck %s

#unsorted = #storage.format<(i) -> (i : compressed(nonordered))>
#list = #storage.format<(i) -> (i : compressed)>
// A merge goes along both lists in order.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %a: tensor<?xf64, #storage.format<(i) -> (i : compressed)>> {storage.converts = 0 : index}
// CHECK-SAME: %b: tensor<?xf64, #storage.format<(i) -> (i : compressed)>>)
func.func @product(%a: tensor<?xf64, #unsorted>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #unsorted>
      %1 = concrete_index.access %b[%i] : tensor<?xf64, #list>
      %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
      concrete_index.assign %p into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#unsorted = #storage.format<(i, j) -> (i : compressed(nonunique, nonordered), j : singleton(nonordered))>
#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// The result is appended to in the order of the list.
// CHECK-LABEL: func.func @append
// CHECK-SAME: tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>> {storage.converts = 0 : index}
func.func @append(%a: tensor<?x?xf64, #unsorted>) -> tensor<?x?xf64, #coo> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #coo> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %a[%i, %j] : tensor<?x?xf64, #unsorted>
        concrete_index.assign %0 into %out[%i, %j] : tensor<?x?xf64, #coo>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #coo>
}

// -----

#rows = #storage.format<(i, j) -> (i : dense, j : compressed(nonordered))>
// A single coordinate is searched; both reads are of the converted operand.
// CHECK-LABEL: func.func @diagonal
// CHECK-SAME: (%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index}) ->
func.func @diagonal(%A: tensor<?x?xf64, #rows>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.let %j = %i {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #rows>
        %1 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #rows>
        %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
#list = #storage.format<(i) -> (i : compressed)>
// So it is with a table that order-tables left.
// CHECK-LABEL: func.func @table
// CHECK-SAME: %a: tensor<?xf64, #storage.format<(i) -> (i : compressed)>> {storage.converts = 0 : index}
func.func @table(%a: tensor<?xf64, #table>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
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

#unsorted = #storage.format<(i) -> (i : compressed(nonordered))>
#list = #storage.format<(i) -> (i : compressed)>
// What is returned stays as it is, and the loop reads another argument.
// CHECK-LABEL: func.func @returned
// CHECK-SAME: %a_converted: tensor<?xf64, #storage.format<(i) -> (i : compressed)>> {storage.converts = 0 : index})
// CHECK: func.return %a, %y
func.func @returned(%a: tensor<?xf64, #unsorted>) -> (tensor<?xf64, #unsorted>, tensor<?xf64, #list>) {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #unsorted>
      concrete_index.assign %0 into %out[%i] : tensor<?xf64, #list>
    }
  }
  func.return %a, %y : tensor<?xf64, #unsorted>, tensor<?xf64, #list>
}
