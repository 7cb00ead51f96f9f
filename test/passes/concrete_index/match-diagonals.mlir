// RUN: irtensor-opt %s --split-input-file -p match-diagonals | filecheck %s

#dia = #storage.format<(i, j) -> (j - i : compressed, j : range, i : offset)>
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>> {storage.converts = 0 : index}
func.func @sum(%A: tensor<?x?xf64, #dia>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dia>
        %1 = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        %s = algebra.apply add(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
// Of a tensor and its transpose, one is converted.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index}
func.func @transpose(%A: tensor<?x?xf64, #dia>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dia>
        %1 = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #dia>
        %s = algebra.apply add(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
