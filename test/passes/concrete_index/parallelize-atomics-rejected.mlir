// RUN: irtensor-opt -p 'parallelize{variable=i races=atomics}' --verify-diagnostics %s
// RUN: not irtensor-opt -p 'parallelize{variable=i races=locks}' %s 2>&1 | filecheck %s --check-prefix=LOCKS
// LOCKS: [bad-pass-option] pass 'parallelize': races= is none or atomics or temporary or ignore, not 'locks'
// LOCKS-NEXT: help: write one of them, or omit races= for none

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

func.func @columns(%A: tensor<?x?xcomplex<f64>, #csr>) -> tensor<?xcomplex<f64>> {
  %y = concrete_index.compute (%r) : tensor<?xcomplex<f64>> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xcomplex<f64>, #csr>
        // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: i does not index 'r', so that iterations store into the same component, and a complex number is two words, which change one by one}}
        concrete_index.assign add %a into %r[%j] : tensor<?xcomplex<f64>>
      }
    }
  }
  func.return %y : tensor<?xcomplex<f64>>
}
