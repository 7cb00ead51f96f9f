// RUN: irtensor-opt %s -p 'unroll{variable=i factor=4}' | filecheck %s

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
