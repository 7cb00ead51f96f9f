// RUN: irtensor-opt %s -p 'coord{positions=j variable=i}' --verify-diagnostics

func.func @taken(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[bad-schedule-step] coord: 'i' is the name of another loop}}
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
