// RUN: irtensor-opt %s --split-input-file -p 'unroll{variable=i}' --verify-diagnostics

func.func @any(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-unroll] unroll: loop i cannot be written out as a whole, because it may have any number of iterations}}
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @many(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %c0 = arith.constant 0 : index
    %n = concrete_index.extent %x, 0 : tensor<?xf64>
    %m = concrete_index.bound %n exact 100
    // expected-error @+1 {{[illegal-unroll] unroll: loop i cannot be written out as a whole, because it has up to 100 iterations}}
    concrete_index.forall %i from %c0 to %m {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
