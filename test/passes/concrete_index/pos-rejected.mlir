// RUN: irtensor-opt %s --split-input-file -p 'pos{variable=j positions=jp tensor=A indices="i","j"}' --verify-diagnostics

#flags = #storage.format<(i, j) -> (i : dense, j : bitmap)>
func.func @flags(%A: tensor<?x?xf64, #flags>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // A bitmap has a place for each coordinate, so that nothing says the number of an entry.
      // expected-error @+1 {{[illegal-split] pos: entries of level 1 (j : bitmap) of 'A' have no numbers}}
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #flags>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @other(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[illegal-split] pos: 'A[i, j]' is not read in loop j}}
      concrete_index.forall %j {
        %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
