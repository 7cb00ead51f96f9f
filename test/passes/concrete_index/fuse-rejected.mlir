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

// The coordinates of one loop are a block of the other, which is parallel: fuse before, and the loops are one again.
func.func @block(%A: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %size = arith.constant 4 : index
    concrete_index.forall %i from %zero to %n attributes {parallel = "none"} {
      %lo = arith.muli %i, %size : index
      %end = arith.addi %lo, %size : index
      // expected-error @+1 {{[illegal-split] fuse: loop j runs over coordinates that another of these loops selects}}
      concrete_index.forall %j from %lo to %end {
        %a = concrete_index.access %A[%j] : tensor<?xf64>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @twice(%A: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?x?xf64> {
    // expected-error @+1 {{[illegal-split] fuse: loop i is fused with others as 'g' already}}
    concrete_index.forall %i attributes {fused = "g"} {
      concrete_index.forall %j attributes {fused = "g"} {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
          concrete_index.assign %a into %out[%i, %j, %k] : tensor<?x?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?x?xf64>
}
