// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p sort-operands | filecheck %s

#unsorted = #storage.format<(i, j) -> (i : dense, j : compressed(nonordered))>
// Entries are visited in the order in which they are stored: what they are added to is found anywhere.
// CHECK-LABEL: func.func @walked
// CHECK-NOT: storage.converts
func.func @walked(%A: tensor<?x?xf64, #unsorted>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #unsorted>
        %1 = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#unsorted = #storage.format<(i, j) -> (i : dense, j : compressed(nonordered))>
// A result without order is appended to in any.
// CHECK-LABEL: func.func @unordered_result
// CHECK-NOT: storage.converts
func.func @unordered_result(%A: tensor<?x?xf64, #unsorted>) -> tensor<?x?xf64, #unsorted> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #unsorted> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #unsorted>
        concrete_index.assign %0 into %out[%i, %j] : tensor<?x?xf64, #unsorted>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #unsorted>
}
