// RUN: irtensor-opt %s -p 'divide{variable=i outer=i0 inner=i1 parts=0}' --verify-diagnostics

// There is at least one part.
func.func @no_parts(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[bad-schedule-step] divide: parts is 0}}
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
