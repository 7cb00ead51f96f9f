// RUN: irtensor-opt %s -p 'precompute{expression="b[i]" variables=i,i}' --verify-diagnostics
// RUN: not irtensor-opt %s -p 'precompute{expression="b[i]" variables=j}' 2>&1 | filecheck %s --check-prefix=OTHER

// OTHER: [illegal-precompute] precompute: 'b[i]' does not depend on j
// OTHER: help: it depends on i
func.func @rows(%b: tensor<?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %a = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %x = concrete_index.access %b[%i] : tensor<?xf64>
        %y = concrete_index.access %c[%i, %j] : tensor<?x?xf64>
        %s = algebra.apply add(%x, %y) : (f64, f64) -> f64
        // expected-error @+1 {{[illegal-precompute] precompute: i is given twice}}
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %a : tensor<?x?xf64>
}
