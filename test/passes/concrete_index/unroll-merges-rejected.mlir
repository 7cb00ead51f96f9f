// Which lists are merged is known when formats are.
// RUN: irtensor-opt %s -p 'unroll{variable=i factor=4},lower-concrete-index-to-iteration-lattice,lower-looplets' --verify-diagnostics
// RUN: not irtensor-opt %s -p 'vectorize{variable=i width=4},lower-concrete-index-to-iteration-lattice,lower-looplets' 2>&1 | filecheck %s

#list = #storage.format<(i) -> (i : compressed)>
// CHECK: [illegal-vectorize] vectorize: loop i merges level 0 (i : compressed) of 'a' and level 0 (i : compressed) of 'b'
func.func @merged(%a: tensor<?xf64, #list>, %b: tensor<?xf64, #list>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[illegal-unroll] unroll: loop i merges level 0 (i : compressed) of 'a' and level 0 (i : compressed) of 'b', so that the number of its iterations is not known before}}
    concrete_index.forall %i {
      %x = concrete_index.access %a[%i] : tensor<?xf64, #list>
      %z = concrete_index.access %b[%i] : tensor<?xf64, #list>
      %p = algebra.apply mul(%x, %z) : (f64, f64) -> f64
      concrete_index.assign add %p into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
