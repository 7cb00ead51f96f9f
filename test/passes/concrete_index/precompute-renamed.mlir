// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=8},pos{variable=j positions=p tensor=A},precompute{expression="A[i,j] * x[j]" variables=p}' | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The variables of the expression were cut by the steps before: what indexes the tensors says which there are now.
// CHECK-LABEL: func.func @cut
// CHECK:      concrete_index.forall %i1 from
// CHECK:        concrete_index.where produce (%w)
// CHECK:          %a = concrete_index.access %A[%i1, %p]
// CHECK-NEXT:     %b = concrete_index.access %x[%p]
func.func @cut(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
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
