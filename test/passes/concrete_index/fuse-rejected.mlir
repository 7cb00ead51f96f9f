// RUN: irtensor-opt %s --split-input-file -p 'fuse{outer=i inner=j fused=f}' --verify-diagnostics

// Another loop is between them.
func.func @apart(%A: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?x?xf64> {
    // expected-error @+1 {{[no-such-loops] fuse: loop j is not directly inside of loop i}}
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
          concrete_index.assign %a into %out[%i, %j, %k] : tensor<?x?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?x?xf64>
}

// -----

// A part of a loop is not fused with another.
func.func @part(%A: tensor<?x?xf64>, %n: index) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    %zero = arith.constant 0 : index
    // expected-error @+1 {{[illegal-split] fuse: loop i runs over a part of its coordinates}}
    concrete_index.forall %i from %zero to %n {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
