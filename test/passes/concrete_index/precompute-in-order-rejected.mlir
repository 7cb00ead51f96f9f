// RUN: irtensor-opt %s --split-input-file -p 'keep-order-of-sums,precompute{expression="B[i,k] * C[k,j]" variables=j}' --verify-diagnostics

// Where the order of sums is kept, a workspace holds no part of one.
func.func @part(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %A = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
          %e = concrete_index.access %d[%j] : tensor<?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %e) : (f64, f64) -> f64
          // expected-error @+1 {{[illegal-precompute] precompute: 'B[i, k] * C[k, j]' would be a part of a floating-point sum, whose order is kept (strict_fp)}}
          concrete_index.assign add %q into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?xf64>
}
