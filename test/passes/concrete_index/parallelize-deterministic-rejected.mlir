// RUN: irtensor-opt -p 'parallelize{variable=i races=atomics deterministic=true}' --split-input-file --verify-diagnostics %s

// Threads add floating-point numbers as they come.
func.func @sum(%x: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %x[%i, %j] : tensor<?x?xf64>
        // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: i does not index 'r', so that iterations store into the same component, and threads combine floating-point numbers as they come, with other bits each time (deterministic)}}
        concrete_index.assign add %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
