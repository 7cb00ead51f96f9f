// RUN: irtensor-opt %s --split-input-file -p 'merge{variable=j strategy=gallop},lower-concrete-index-to-iteration-lattice' --verify-diagnostics

#list = #storage.format<(i) -> (i : compressed)>
// The dense operand is found at any coordinate of the only list. Steps after this one may change that, so it is refused at the end.
func.func @one(%a: tensor<?xf64, #list>, %b: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[illegal-merge] merge: loop j cannot gallop, because it does not have two lists: level 0 (i : compressed) of 'a' is a list, level 0 (i : dense) of 'b' finds any coordinate at once}}
    concrete_index.forall %j {
      %x = concrete_index.access %a[%j] : tensor<?xf64, #list>
      // expected-note @+1 {{'b' is read as (i) -> (i : dense)}}
      %z = concrete_index.access %b[%j] : tensor<?xf64>
      %p = algebra.apply mul(%x, %z) : (f64, f64) -> f64
      concrete_index.assign add %p into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
