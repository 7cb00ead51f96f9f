// RUN: irtensor-opt %s --split-input-file -p insert-conversions | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// CHECK-LABEL: func.func @rows_and_columns
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 1 : index})
// CHECK:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK:       %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, {{.*}}>
func.func @rows_and_columns(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csc>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csc>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// An operand and its own transpose: one argument more.
// CHECK-LABEL: func.func @symmetrise
// CHECK-SAME: %A_converted: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>> {storage.converts = 0 : index})
// CHECK:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK:       %b = concrete_index.access %A_converted[%j, %i] : tensor<?x?xf64, {{.*}}>
func.func @symmetrise(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// What an earlier pass converts already comes from the same operand.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index}
// CHECK-SAME: %B_converted: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>> {storage.converts = 0 : index}
func.func @twice(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr> {storage.converts = 0 : index}) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%j, %i] : tensor<?x?xf64, #csr>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Rows times rows would visit every pair of rows, though few meet: by columns, B leads from a row's entries on.
// CHECK-LABEL: func.func @rows_times_rows
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>> {storage.converts = 1 : index})
func.func @rows_times_rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Rows times rows: by columns of %B, a row meets only what has a coordinate in common, into a dense result as well.
// CHECK-LABEL: func.func @rows_times_rows
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>> {storage.converts = 1 : index}
func.func @rows_times_rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
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

#slices = #storage.format<(i, j, k) -> (i : compressed, j : dense, k : compressed)>
#bcsc = #storage.format<(i, j) -> (j floordiv 2 : dense, i floordiv 2 : compressed, j mod 2 : dense, i mod 2 : dense)>
// A level that has all coordinates stays one where it goes outside of a list, and where it is below the one list that
// it was below; below another, it would take the room of what is not stored.
// CHECK-LABEL: func.func @what_stays_dense
// CHECK-SAME: %A: tensor<?x?x?xf64, #storage.format<(i, j, k) -> (j : dense, i : compressed, k : compressed)>> {storage.converts = 0 : index}
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, i mod 2 : dense, j floordiv 2 : compressed, j mod 2 : dense)>> {storage.converts = 1 : index}
func.func @what_stays_dense(%A: tensor<?x?x?xf64, #slices>, %B: tensor<?x?xf64, #bcsc>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %m {
        concrete_index.where produce (%t) : tensor<?xf64> {
          concrete_index.forall %k {
            concrete_index.forall %h {
              %a = concrete_index.access %A[%k, %i, %h] : tensor<?x?x?xf64, #slices>
              concrete_index.assign add %a into %t[%k] : tensor<?xf64>
            }
          }
        } consume (%u) {
          concrete_index.forall %l {
            concrete_index.forall %n {
              %a = concrete_index.access %u[%l] : tensor<?xf64>
              %b = concrete_index.access %B[%l, %i, %n, %m] : tensor<?x?xf64, #bcsc>
              %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
              concrete_index.assign add %p into %out[%i] : tensor<?xf64>
            }
          }
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
