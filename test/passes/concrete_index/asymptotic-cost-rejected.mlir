// RUN: irtensor-opt %s --split-input-file -p asymptotic-cost --verify-diagnostics

func.func @sequence(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %s = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
      %b = concrete_index.access %y[%i] : tensor<?xf64>
      // expected-error @+1 {{[no-asymptotic-cost] the asymptotic cost is not known of statements one after the other, if one does not combine what they store}}
      concrete_index.assign %b into %out[%i] : tensor<?xf64>
    }
  }
  func.return %s : tensor<?xf64>
}

// -----

func.func @part(%x: tensor<?xf64>) -> tensor<?xf64> {
  %s = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %two = arith.constant 2 : index
      %half = arith.floordivsi %i, %two : index
      // expected-error @+1 {{[no-asymptotic-cost] the asymptotic cost is not known of a coordinate that is computed}}
      concrete_index.let %k = %half {
        %a = concrete_index.access %x[%k] : tensor<?xf64>
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %s : tensor<?xf64>
}
