// RUN: irtensor-opt %s --split-input-file -p support-protocols --remarks 2>&1 | filecheck %s

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>

// What is located in the outermost level is found in a table.
// CHECK: remark: support-protocols: 'A', stored (i, j) -> (i : compressed, j : compressed), is converted to (i, j) -> (i : dense, j : compressed): loops over k, i, j are to locate i, step j
// CHECK-LABEL: func.func @outermost
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 1 : index}
func.func @outermost(%x: tensor<?x?xf64>, %A: tensor<?x?xf64, #dcsr>) -> tensor<f64> {
  %s = concrete_index.compute (%s) : tensor<f64> {
    concrete_index.forall %k {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[locate %i, step %j] : tensor<?x?xf64, #dcsr>
          %b = concrete_index.access %x[%k, %i] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %s[] : tensor<f64>
        }
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The loops keep their order, and rows without entries are not stepped to.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (j : compressed, i : compressed)>> {storage.converts = 0 : index}
// CHECK: concrete_index.forall %j {
// CHECK-NEXT: concrete_index.forall %i {
// CHECK-NEXT: concrete_index.access %A[step %i, step %j]
func.func @columns(%A: tensor<?x?xf64, #csr>) -> tensor<f64> {
  %s = concrete_index.compute (%s) : tensor<f64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[step %i, step %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %s[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>

// Each access has its own: one by rows of hash tables, one as it is stored.
// CHECK-LABEL: func.func @both
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>>, %A_converted: tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed, j : hashed)>> {storage.converts = 0 : index}
// CHECK: concrete_index.access %A[step %i, step %j]
// CHECK: concrete_index.access %A_converted[step %i, locate %j]
func.func @both(%A: tensor<?x?xf64, #coo>) -> tensor<f64> {
  %s = concrete_index.compute (%s) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[step %i, step %j] : tensor<?x?xf64, #coo>
        %b = concrete_index.access %A[step %i, locate %j] : tensor<?x?xf64, #coo>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %s[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

#t = #storage.format<(i, j, k) -> (i : compressed, k : compressed, j : compressed)>

// Ahrens 2022, section 7.8: an operand that is stored in another order than the loops go.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %B: tensor<?x?x?xf64, #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>> {storage.converts = 0 : index}
func.func @transposed(%B: tensor<?x?x?xf64, #t>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%A) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[step %i, step %j, step %k] : tensor<?x?x?xf64, #t>
          concrete_index.assign add %b into %A[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#u = #storage.format<(i, j, k) -> (k : compressed, i : dense, j : compressed)>

// Order and levels at once.
// CHECK-LABEL: func.func @transposed_and_located
// CHECK-SAME: %B: tensor<?x?x?xf64, #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : hashed)>> {storage.converts = 0 : index}
func.func @transposed_and_located(%B: tensor<?x?x?xf64, #u>, %c: tensor<?x?x?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%A) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[step %i, step %j, locate %k] : tensor<?x?x?xf64, #u>
          %c_ = concrete_index.access %c[%i, %j, %k] : tensor<?x?x?xf64>
          %p = algebra.apply mul(%b, %c_) : (f64, f64) -> f64
          concrete_index.assign add %p into %A[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#hashed_columns = #storage.format<(i, j) -> (j : dense, i : hashed)>

// What is stepped through is stored below what the loops outside have bound: a row is no part of the hash tables.
// CHECK-LABEL: func.func @rows_of_hashed_columns
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index}
func.func @rows_of_hashed_columns(%A: tensor<?x?xf64, #hashed_columns>) -> tensor<f64> {
  %s = concrete_index.compute (%s) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[locate %i, step %j] : tensor<?x?xf64, #hashed_columns>
        concrete_index.assign add %a into %s[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}
