// RUN: irtensor-opt %s --split-input-file -p match-diagonals | filecheck %s

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
// Two tensors with the same diagonals are traversed together.
// CHECK-LABEL: func.func @same
// CHECK-NOT: storage.converts
func.func @same(%A: tensor<?x?xf64, #dia>, %B: tensor<?x?xf64, #dia>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dia>
        %1 = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #dia>
        %s = algebra.apply add(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
// Nothing converts a result; split-diagonals reports it.
// CHECK-LABEL: func.func @result
// CHECK-NOT: storage.converts
func.func @result(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #dia> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #dia> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %0 into %out[%i, %j] : tensor<?x?xf64, #dia>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #dia>
}
