// RUN: irtensor-opt %s --split-input-file -p split-diagonals --verify-diagnostics | filecheck %s

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @list(%A: tensor<?x?xf64, #dia>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{[diagonal-mismatch] 'A', stored (i, j) -> (j - i : compressed, i : range, j : offset), is not traversed along its diagonals: 'B' is not looked up by i}}
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dia>
        %1 = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %s = algebra.apply mul(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
func.func @sum(%A: tensor<?x?xf64, #dia>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{the computed values are not only on its diagonals}}
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
func.func @both(%A: tensor<?x?xf64, #dia>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // expected-error @+1 {{its variables are not those of two loops}}
      %0 = concrete_index.access %A[%i, %i] : tensor<?x?xf64, #dia>
      concrete_index.assign %0 into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
// What is split already stays as it is.
// CHECK-LABEL: func.func @again
// CHECK: concrete_index.forall %d from
// CHECK-NOT: concrete_index.forall %d_1
func.func @again(%A: tensor<?x?xf64, #dia>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %n = concrete_index.extent %A, 0 : tensor<?x?xf64, #dia>
    %zero = arith.constant 0 : index
    concrete_index.forall %d from %zero to %n {
      concrete_index.forall %i from %zero to %n {
        %0 = arith.addi %i, %d : index
        concrete_index.let %j = %0 {
          %1 = concrete_index.access %A[%d, %i, %j] : tensor<?x?xf64, #dia>
          concrete_index.assign add %1 into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
