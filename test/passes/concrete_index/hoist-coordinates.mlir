// RUN: irtensor-opt %s --split-input-file -p hoist-coordinates | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The row that is gathered is found once, outside of the loop along it.
// CHECK-LABEL: func.func @rows
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   %[[READ:.*]] = concrete_index.access %I[%i]
// CHECK-NEXT:   %[[AT:.*]] = arith.index_cast %[[READ]] : i64 to index
// CHECK-NEXT:   concrete_index.let %k = %[[AT]] {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.access %A[%k, %j]
func.func @rows(%A: tensor<?x?xf64, #csr>, %I: tensor<?xi64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %n = concrete_index.access %I[%i] : tensor<?xi64>
        %at = arith.index_cast %n : i64 to index
        concrete_index.let %k = %at {
          %a = concrete_index.access %A[%k, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// What a coordinate is computed from stands outside, too.
// CHECK-LABEL: func.func @part
// CHECK:        %[[N:.*]] = arith.index_cast
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     %[[AT:.*]] = arith.addi %j, %[[N]] : index
// CHECK-NEXT:     concrete_index.let %k = %[[AT]] {
func.func @part(%x: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %j {
      %read = concrete_index.access %n[] : tensor<i64>
      %first = arith.index_cast %read : i64 to index
      %at = arith.addi %j, %first : index
      concrete_index.let %k = %at {
        %a = concrete_index.access %x[%k] : tensor<?xf64>
        concrete_index.assign %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
