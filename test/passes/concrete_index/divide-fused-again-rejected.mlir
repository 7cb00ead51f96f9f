// RUN: irtensor-opt %s -p 'divide{variable=j outer=j0 inner=j1 parts=4},reorder{order="j0","i","j1"},fuse{outer=i inner=j1 fused=f},divide{variable=f outer=f2 inner=f3 parts=2 tensor=B}' --verify-diagnostics
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},divide{variable=f outer=f0 inner=f1 parts=8 tensor=A},divide{variable=f1 outer=f2 inner=f3 parts=2}' | filecheck %s
// By default parts of a block of entries have entries.
// CHECK-COUNT-4: concrete_index.entry %A[], {{.*}} levels 2

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Entries of some columns of each row do not follow each other.
func.func @rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-split] divide: loop j1 runs over a part of its coordinates, in each iteration of i}}
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
