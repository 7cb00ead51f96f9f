// RUN: irtensor-opt %s -p "lower-concrete-index-to-iteration-lattice{purpose=compute}" --split-input-file --verify-diagnostics

// Where an iteration's entries are in an index that exists is known only where a level of positions leads to them.
#rows = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @counted(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #rows> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #rows> {
    concrete_index.forall %i attributes {parallel = "none"} {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        // expected-error @+1 {{[illegal-replay] the loop over i cannot be parallel where values are computed for an index that exists: entries of level 0 (i : compressed) of 'out' are counted from the first one on}}
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #rows>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #rows>
}

// -----

// A block of fused loops may begin within a row, which is gone along from its beginning.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @divided(%A: tensor<?x?xf64, #csr>, %lo: index, %hi: index) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j from %lo to %hi attributes {fused = "f"} {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        // expected-error @+1 {{[illegal-replay] blocks of the loops fused over j begin and end within the segments of level 1 (j : compressed) of 'out', which are traversed as a whole where values are computed for an index that exists}}
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
