// RUN: irtensor-opt -p 'precompute{expression="b[i]" variables=i format=padded}' --verify-diagnostics %s
// RUN: not irtensor-opt -p 'precompute{expression="b[i]" variables=i format=compressed}' %s 2>&1 | filecheck %s --check-prefix=APPENDED
// APPENDED: [illegal-precompute] precompute: level 0 (i : compressed) of the workspace is only appended to, and it is written in any order

func.func @sum(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %z = concrete_index.access %c[%i] : tensor<?xf64>
      %s = algebra.apply add(%x, %z) : (f64, f64) -> f64
      // expected-error @+1 {{[illegal-precompute] precompute: level 0 (i : padded) of the workspace is only appended to, and it is written in any order}}
      concrete_index.assign %s into %r[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
