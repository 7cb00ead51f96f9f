// RUN: irtensor-opt %s --split-input-file -p insert-conversions | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A schedule asks for inner products: the order suits both operands, though without it one of them is converted.
// CHECK-LABEL: func.func @rows_times_rows
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>)
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %k {
func.func @rows_times_rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> scheduled ["reorder"] {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The given order suits neither operand: it changes, and then every row need not meet every row.
// CHECK-LABEL: func.func @order_has_to_change
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>> {storage.converts = 1 : index})
func.func @order_has_to_change(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> scheduled ["reorder"] {
    concrete_index.forall %k {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A step that gives no order leaves the choice of it.
// CHECK-LABEL: func.func @order_was_not_asked_for
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>> {storage.converts = 1 : index})
func.func @order_was_not_asked_for(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> scheduled ["unroll"] {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}
