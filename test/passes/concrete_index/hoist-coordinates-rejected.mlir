// RUN: irtensor-opt %s --split-input-file -p hoist-coordinates | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The coordinate depends on the innermost loop.
// CHECK-LABEL: func.func @depends
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
func.func @depends(%A: tensor<?x?xf64, #csr>, %I: tensor<?xi64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %n = concrete_index.access %I[%j] : tensor<?xi64>
        %at = arith.index_cast %n : i64 to index
        concrete_index.let %k = %at {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

// The loop does more than what is inside of the let.
// CHECK-LABEL: func.func @beside
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.access %x[%j]
func.func @beside(%x: tensor<?xf64>, %I: tensor<?xi64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      %n = concrete_index.access %I[%i] : tensor<?xi64>
      %at = arith.index_cast %n : i64 to index
      concrete_index.forall %j {
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        concrete_index.assign add %b into %r[%i] : tensor<?xf64>
        concrete_index.let %k = %at {
          %a = concrete_index.access %x[%k] : tensor<?xf64>
          concrete_index.assign add %a into %r[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
