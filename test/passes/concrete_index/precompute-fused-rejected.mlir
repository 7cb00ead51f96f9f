// RUN: not irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" variables=i},parallelize{variable=block}' 2>&1 | filecheck %s --check-prefix=RACE
// RUN: not irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" variables=entry,i}' 2>&1 | filecheck %s --check-prefix=TWICE

// A row may be in two blocks.
// RACE: [parallel-race] the loop over block cannot be parallel: block does not index 'out', so that iterations store into the same component
// TWICE: [illegal-precompute] precompute: i is given twice
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
