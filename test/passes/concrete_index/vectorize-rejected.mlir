// RUN: irtensor-opt %s --split-input-file -p 'vectorize{variable=j width=8}' --verify-diagnostics

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Stored entries are not next to each other in the dense operand.
func.func @sparse(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+2 {{[illegal-vectorize] vectorize: loop j goes along a sparse level of 'A', not along an array of consecutive elements}}
        // expected-note @+1 {{'A' is stored (i, j) -> (i : dense, j : compressed)}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @not_innermost(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    // expected-error @+1 {{[illegal-vectorize] vectorize: loop j is not innermost, loop i is inside of it}}
    concrete_index.forall %j {
      // expected-note @+1 {{the loop over i}}
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
