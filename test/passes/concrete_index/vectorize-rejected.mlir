// RUN: irtensor-opt %s --split-input-file -p 'vectorize{variable=j width=8}' --verify-diagnostics

#repeated = #storage.format<(i, j) -> (j : dense, i : compressed(nonunique))>
// Two lanes could add to the same component.
func.func @repeated(%A: tensor<?x?xf64, #repeated>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-note @+1 {{'A' is stored (i, j) -> (j : dense, i : compressed(nonunique))}}
        %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #repeated>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        // expected-error @+1 {{[illegal-vectorize] vectorize: loop j stores into 'out' where 'A' has entries, and several may have one j}}
        concrete_index.assign add %p into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The list of a row belongs to one iteration, so that the rows of a vector have no common loop.
func.func @rows(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      // expected-note @+1 {{the loop over k}}
      concrete_index.forall %k {
        // expected-error @+1 {{[illegal-vectorize] vectorize: loop j is around loop k, which iterates over entries of 'A' of one j after another}}
        %a = concrete_index.access %A[%j, %k] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @statements(%A: tensor<?x?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      %b0 = concrete_index.access %b[%j] : tensor<?xf64>
      concrete_index.assign add %b0 into %out[%j] : tensor<?xf64>
      // expected-error @+2 {{[illegal-vectorize] vectorize: loop j is around loop k, which stands next to other statements}}
      // expected-note @+1 {{the loop over k}}
      concrete_index.forall %k {
        %a = concrete_index.access %A[%j, %k] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @both(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-vectorize] vectorize: loop j is around loop k, and parallel: threads share the blocks of a loop, vectors the offsets in them}}
    concrete_index.forall %j attributes {parallel = "none"} {
      // expected-note @+1 {{the loop over k}}
      concrete_index.forall %k {
        %a = concrete_index.access %A[%j, %k] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
