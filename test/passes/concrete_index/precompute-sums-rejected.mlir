// RUN: irtensor-opt %s -p 'precompute{expression="sum(i, Y[i,k])" variables=k}' --verify-diagnostics

// An expression is compared with its sums.
// expected-error @+1 {{[expression-not-found] precompute: no assignment computes 'sum(i, Y[i, k])'}}
builtin.module {
  func.func @f(%Y: tensor<?x?xf64>) -> tensor<?xf64> {
    %o = concrete_index.compute (%r) : tensor<?xf64> {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %0 = concrete_index.access %Y[%i, %k] : tensor<?x?xf64>
            // expected-note @+1 {{t is computed as Y[i, k]}}
            concrete_index.assign add %0 into %t[] : tensor<f64>
          }
        } consume (%t_1) {
          %1 = concrete_index.access %t_1[] : tensor<f64>
          %2 = algebra.apply exp(%1) : (f64) -> f64
          // expected-note @+1 {{r is computed as exp(sum(k, Y[i, k]))}}
          concrete_index.assign %2 into %r[%i] : tensor<?xf64>
        }
      }
    }
    func.return %o : tensor<?xf64>
  }
}
