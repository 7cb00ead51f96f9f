// RUN: irtensor-opt %s --split-input-file -p expand-symmetric --verify-diagnostics | filecheck %s

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @twice(%A: tensor<?x?xf64, #sym>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{[symmetric-operand] 'A', stored (i, j) -> (i : dense, j : compressed), symmetric, is not read for an entry and its mirrors at once: it is read several times}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #sym>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @beside_a_list(%A: tensor<?x?xf64, #sym>, %B: tensor<?x?xf64, #csr>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{at once: 'B' beside it, stored (i, j) -> (i : dense, j : compressed), is not an array}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @sum(%A: tensor<?x?xf64, #sym>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{at once: something is computed where it has no entry}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @diagonal(%A: tensor<?x?xf64, #sym>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // expected-error @+1 {{at once: one index is in two of its dimensions}}
      %a = concrete_index.access %A[%i, %i] : tensor<?x?xf64, #sym>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// A number that the same loops compute before would be another one for a mirror.
func.func @second_temporary(%A: tensor<?x?xf64, #sym>, %D: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%r) : tensor<f64> {
        concrete_index.forall %k {
          %d = concrete_index.access %D[%i, %k] : tensor<?x?xf64>
          concrete_index.assign add %d into %r[] : tensor<f64>
        }
      } consume (%s) {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %j {
            // expected-error @+1 {{at once: a temporary that is computed in the same loops is beside it}}
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
            %w = concrete_index.access %s[] : tensor<f64>
            %p = algebra.apply mul(%a, %w) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %v = concrete_index.access %u[] : tensor<f64>
          concrete_index.assign %v into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// One statement appends to a result.
func.func @into_lists(%A: tensor<?x?xf64, #sym>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %k {
      concrete_index.forall %l {
        concrete_index.forall %i {
          concrete_index.forall %j {
            // expected-error @+1 {{at once: 'out', stored (i, j) -> (i : dense, j : compressed), is appended to by one statement}}
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
            %b = concrete_index.access %D[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %D[%j, %l] : tensor<?x?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
            concrete_index.assign add %q into %out[%k, %l] : tensor<?x?xf64, #csr>
          }
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @two_statements(%A: tensor<?x?xf64, #sym>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{at once: other statements are beside the one that reads it}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @part(%A: tensor<?x?xf64, #sym>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["reorder"] {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{at once: a schedule has arranged the loops around it}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @in_order(%A: tensor<?x?xf64, #sym>) -> tensor<?xf64> attributes {algebra.keeps_order} {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{at once: floating-point sums keep their order (strict_fp)}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @result(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #sym> {
  // expected-error @+1 {{[symmetric-result] 'y' would be written (i, j) -> (i : dense, j : compressed), symmetric, and only operands are symmetric}}
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

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A list that none of the exchanged indices is in does not matter.
// CHECK-LABEL: func.func @other_index
// CHECK-COUNT-2: concrete_index.assign add
func.func @other_index(%A: tensor<?x?xf64, #sym>, %z: tensor<?xf64, #storage.format<(i) -> (i : compressed)>>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
          %b = concrete_index.access %z[%k] : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
