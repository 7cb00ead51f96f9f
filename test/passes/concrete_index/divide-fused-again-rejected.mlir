// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},divide{variable=f outer=f0 inner=f1 parts=8 tensor=A},divide{variable=f1 outer=f2 inner=f3 parts=2 tensor=B}' --verify-diagnostics
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},divide{variable=f outer=f0 inner=f1 parts=8 tensor=A},divide{variable=f1 outer=f2 inner=f3 parts=2}' | filecheck %s
// By default parts of a block of entries have entries.
// CHECK-COUNT-4: concrete_index.entry %A[], {{.*}} levels 2

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A block of entries is divided by entries: which coordinates it begins and ends with is known to its loops alone.
func.func @rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-split] divide: the loops fused as 'f1' are a block of entries of 'A'}}
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
