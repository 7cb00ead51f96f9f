// RUN: irtensor-opt -p 'keep-order-of-sums,parallelize{variable=i races=temporary}' --split-input-file --verify-diagnostics %s
// RUN: irtensor-opt -p 'keep-order-of-sums,parallelize{variable=i races=atomics}' --split-input-file --verify-diagnostics %s

// Where the order of sums is kept, parts have no sums of their own.
func.func @number(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: i does not index 'r', so that iterations store into the same component, and floating-point sums keep their order (strict_fp)}}
      concrete_index.assign add %a into %r[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>

func.func @repeated(%A: tensor<?x?xf64, #coo>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #coo>
        // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: 'A' may store a coordinate of i several times, each an iteration that stores into 'r', and floating-point sums keep their order (strict_fp)}}
        concrete_index.assign add %a into %r[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
