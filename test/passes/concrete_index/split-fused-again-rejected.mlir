// RUN: irtensor-opt %s --split-input-file -p 'split{variable=j outer=j0 inner=j1 size=4},reorder{order="j0","i","j1"},fuse{outer=i inner=j1 fused=f},split{variable=f outer=f0 inner=f1 size=2 tensor=A}' --verify-diagnostics

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Entries of some columns of each row do not follow each other.
func.func @rows(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-split] split: loop j1 runs over a part of its coordinates, in each iteration of i}}
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
