// RUN: irtensor-opt %s --split-input-file -p 'merge{variable=j strategy=gallop}' --verify-diagnostics

#list = #storage.format<(i) -> (i : compressed)>
// Entries of one matter where the other has none.
func.func @sum(%a: tensor<?xf64, #list>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      // expected-error @+1 {{[illegal-merge] merge: loop j cannot gallop, because it also does something where 'a' has no entry: every entry of the others is visited anyway}}
      %x = concrete_index.access %a[%j] : tensor<?xf64, #list>
      %z = concrete_index.access %b[%j] : tensor<?xf64, #list>
      %s = algebra.apply add(%x, %z) : (f64, f64) -> f64
      concrete_index.assign %s into %out[%j] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @other(%a: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[no-such-loops] merge: no loop is over 'j'}}
    concrete_index.forall %i {
      %x = concrete_index.access %a[%i] : tensor<?xf64>
      concrete_index.assign %x into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
