// RUN: irtensor-opt %s --split-input-file -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=f0 inner=f1 size=8},split{variable=f1 outer=f2 inner=f3 size=2 tensor=A}' --verify-diagnostics

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Where a block of coordinates begins among the entries is not known.
func.func @rows(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-split] split: the loops fused as 'f1' are a block of coordinates}}
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
