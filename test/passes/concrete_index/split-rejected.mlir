// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=32}' --verify-diagnostics

// No loop is over i.
builtin.module {
  func.func @no_such_loop(%x: tensor<?xf64>) -> tensor<?xf64> {
    %y = concrete_index.compute (%out) : tensor<?xf64> {
      // expected-error @+1 {{[no-such-loops] split: no loop is over 'i'}}
      concrete_index.forall %k {
        %a = concrete_index.access %x[%k] : tensor<?xf64>
        concrete_index.assign %a into %out[%k] : tensor<?xf64>
      }
    }
    func.return %y : tensor<?xf64>
  }
}

// -----

// A new name is taken.
func.func @taken(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    // expected-error @+1 {{[bad-schedule-step] split: 'i1' is the name of another loop}}
    concrete_index.forall %i {
      concrete_index.forall %i1 {
        %a = concrete_index.access %A[%i, %i1] : tensor<?x?xf64>
        concrete_index.assign %a into %out[%i, %i1] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

// Nothing is indexed.
func.func @unused(%a: f64) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[unknown-extent] split: no operand or result says how many coordinates 'i' has}}
    concrete_index.forall %i {
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
