// RUN: irtensor-opt %s -p 'unroll{variable=i factor=0}' --verify-diagnostics

func.func @no_turns(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[bad-schedule-step] unroll: factor is 0}}
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
