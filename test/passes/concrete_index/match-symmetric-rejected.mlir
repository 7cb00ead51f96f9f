// RUN: irtensor-opt %s --split-input-file -p match-symmetric | filecheck %s

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// What expand-symmetric reads once is not converted.
// CHECK-LABEL: func.func @once
// CHECK-NOT: storage.converts
func.func @once(%A: tensor<?x?xf64, #sym>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// Nothing converts a result; expand-symmetric reports it.
// CHECK-LABEL: func.func @result
// CHECK-NOT: storage.converts
func.func @result(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #sym> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #sym> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #sym>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #sym>
}
