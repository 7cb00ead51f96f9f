// RUN: irtensor-opt %s --split-input-file --verify-diagnostics -p 'precompute{expression="B[i,j] * x[j]" variables=i}'

// Loops that are fused stay around the temporary, and its body with them.
func.func @ordered(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i attributes {fused = "f"} {
      concrete_index.forall %l attributes {fused = "f"} {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
            %c = concrete_index.access %x[%j] : tensor<?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %a = concrete_index.access %A[%l, %j] : tensor<?x?xf64>
            %q = algebra.apply mul(%a, %p) : (f64, f64) -> f64
            // expected-error @+1 {{[illegal-precompute] precompute: the workspace of 'B[i, j] * x[j]' cannot have a dimension for i, because the loop over j stays around both sides}}
            concrete_index.assign add %q into %t[] : tensor<f64>
          }
        } consume (%u) {
          %v = concrete_index.access %u[] : tensor<f64>
          concrete_index.assign add %v into %out[] : tensor<f64>
        }
      }
    }
  }
  func.return %y : tensor<f64>
}
