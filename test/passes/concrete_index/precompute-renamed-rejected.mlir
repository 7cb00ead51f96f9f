// RUN: irtensor-opt %s --split-input-file --verify-diagnostics -p 'precompute{expression="A[j,i] * x[j]" variables=r}'

// Both A[r, s] * x[r] and A[s, r] * x[s] could be meant.
// expected-error @+1 {{[expression-not-found] precompute: no assignment computes 'A[j, i] * x[j]'}}
builtin.module {
  func.func @two(%A: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?x?xf64> {
    %y = concrete_index.compute (%out) : tensor<?x?xf64> {
      concrete_index.forall %r {
        concrete_index.forall %s {
          %a = concrete_index.access %A[%r, %s] : tensor<?x?xf64>
          %b = concrete_index.access %x[%r] : tensor<?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %c = concrete_index.access %A[%s, %r] : tensor<?x?xf64>
          %d = concrete_index.access %x[%s] : tensor<?xf64>
          %q = algebra.apply mul(%c, %d) : (f64, f64) -> f64
          %t = algebra.apply sub(%p, %q) : (f64, f64) -> f64
          // expected-note @+1 {{out is computed as (A[r, s] * x[r]) - (A[s, r] * x[s])}}
          concrete_index.assign %t into %out[%r, %s] : tensor<?x?xf64>
        }
      }
    }
    func.return %y : tensor<?x?xf64>
  }
}

// -----

// A loop of the name is there: it is meant, and x is not read along it.
// expected-error @+1 {{[expression-not-found] precompute: no assignment computes 'A[j, i] * x[j]'}}
builtin.module {
  func.func @there(%A: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?x?xf64> {
    %y = concrete_index.compute (%out) : tensor<?x?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64>
          %b = concrete_index.access %x[%i] : tensor<?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          // expected-note @+1 {{out is computed as A[j, i] * x[i]}}
          concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
    func.return %y : tensor<?x?xf64>
  }
}
