// RUN: irtensor-opt %s --split-input-file -p 'unroll{variable=i factor=4}' | filecheck %s

// CHECK: concrete_index.forall %i attributes {unroll = 4 : i64, vectorize = 2 : i64} {
func.func @copy(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i attributes {unroll = 1 : i64, vectorize = 2 : i64} {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A block has up to three coordinates, all of which are written out.
// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=b inner=i size=3},unroll{variable=i}' | filecheck %s --check-prefix=ALL
// ALL-LABEL: @blocks
// ALL: concrete_index.forall %i from %lo to %hi attributes {unroll = 3 : i64} {
func.func @blocks(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
