// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=f0 inner=f1 size=8},bound{variable=f1 extent=8}' --verify-diagnostics

func.func @rows(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[bad-schedule-step] bound: 'f1' goes over the blocks of f0, whose size says how many combinations of coordinates it has}}
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
