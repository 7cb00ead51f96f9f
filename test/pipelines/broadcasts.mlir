// Operands without all of the index variables: they take part where they have none (Kjolstad 2020, 3.1 and 3.2).
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// An operand without i and j takes part in the innermost loop only.  y[i,j] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @tensor_times_vector(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:           loop.while {
// CHECK-NEXT:           } do {
// CHECK-NEXT:           }
// CHECK-NEXT:           loop.while {
// CHECK-NEXT:           } do {
// CHECK-NEXT:             loop.if {{.*}} {
// CHECK-NEXT:             } else {
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:           loop.while {
// CHECK-NEXT:           } do {
// CHECK-NEXT:           }
// CHECK-NEXT:           loop.while {
// CHECK-NEXT:           } do {
// CHECK-NEXT:             loop.if {{.*}} {
// CHECK-NEXT:             } else {
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @tensor_times_vector(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?x?xf64> {
  %y = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %c[%k] : tensor<?xf64, #format1>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A row is added in every row, in gaps as well.  A[i,j] = B[i,j] + c[j]
// CHECK-LABEL: func.func @matrix_plus_row(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %j = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %j_1 = {{.*}} to %B_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @matrix_plus_row(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %c[%j] : tensor<?xf64>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// A sparse row: a merge in every row.  A[i,j] = B[i,j] + c[j]
// CHECK-LABEL: func.func @matrix_plus_sparse_row(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @matrix_plus_sparse_row(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %c[%j] : tensor<?xf64, #format1>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// d has no j: where B has no entry, it is alone.  A[i,j] = B[i,j] * c[j] + d[i]
// CHECK-LABEL: func.func @product_plus_column(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %j = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       } else {
// CHECK-NEXT:         loop.for %j_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %j_2 = {{.*}} to %B_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @product_plus_column(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64, #format1>, %d: tensor<?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %c[%j] : tensor<?xf64, #format1>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %d[%i] : tensor<?xf64>
    %4 = algebra.apply add(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// Stored rows of B, each entry's row of C.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @product_over_k(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.while {
// CHECK-NEXT:         } do {
// CHECK-NEXT:         }
// CHECK-NEXT:         loop.while {
// CHECK-NEXT:         } do {
// CHECK-NEXT:           loop.if {{.*}} {
// CHECK-NEXT:           } else {
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.while {
// CHECK-NEXT:         } do {
// CHECK-NEXT:         }
// CHECK-NEXT:         loop.while {
// CHECK-NEXT:         } do {
// CHECK-NEXT:           loop.if {{.*}} {
// CHECK-NEXT:           } else {
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @product_over_k(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %k] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %j] : tensor<?x?xf64, #format0>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// A sparse column: rows that both store.  A[i,j] = B[i,j] * c[i]
// CHECK-LABEL: func.func @matrix_times_column(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @matrix_times_column(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %c[%i] : tensor<?xf64, #format1>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// A number is everywhere: gaps are loops.  y[i] = a + b[i]
// CHECK-LABEL: func.func @number_plus_vector(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_1 = {{.*}} to %b_n0 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @number_plus_vector(%a: tensor<f64>, %b: tensor<?xf64, #format0>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[] : tensor<f64>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A number does not iterate in a product.  A[i,j] = a * B[i,j]
// CHECK-LABEL: func.func @matrix_times_number(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @matrix_times_number(%a: tensor<f64>, %B: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %a[] : tensor<f64>
    %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}
