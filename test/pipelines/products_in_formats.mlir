// Products of matrices and vectors in other formats and orders: the loops follow the storage (Kjolstad 2020).
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j) -> (j : dense, i : dense)>
// K1: B stored by columns: the columns outside, y is accumulated into.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k1_gemv_by_columns(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %j = {{.*}} to %B_n1 {
// CHECK-NEXT:   loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k1_gemv_by_columns(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// K1: the transpose of a matrix stored by rows.  y[i] = B[j,i] * c[j]
// CHECK-LABEL: func.func @k1_gemv_transposed(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %j = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %i = {{.*}} to %B_n1 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k1_gemv_transposed(%B: tensor<?x?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%j, %i] : tensor<?x?xf64>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K2: the transpose of CSR: entries scatter into y.  y[j] = B[i,j] * c[i]
// CHECK-LABEL: func.func @k2_spmv_transposed(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k2_spmv_transposed(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%j) : tensor<?xf64> {
    %0 = index_notation.reduce add (%i) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%i] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
// K3: DCSC: only stored columns.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k3_spmv_dcsc(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k3_spmv_dcsc(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// K4: CSR: every row is intersected.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k4_spmspv_csr(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
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
func.func @k4_spmspv_csr(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?xf64, #format1> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format1> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64, #format1>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// K4: the transpose of DCSC.  y[i] = B[j,i] * c[j]
// CHECK-LABEL: func.func @k4_spmspv_transposed(
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
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
func.func @k4_spmspv_transposed(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?xf64, #format1> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format1> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%j, %i] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64, #format1>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// K4: by columns: those that both store scatter into a dense y.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k4_spmspv_dense_result(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k4_spmspv_dense_result(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64, #format1>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (j : compressed(nonunique), i : singleton)>
// K5: coordinates sorted by columns: one loop as well.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k5_spmv_coo_by_columns(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k5_spmv_coo_by_columns(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// K5: the transpose of COO.  y[j] = B[i,j] * c[i]
// CHECK-LABEL: func.func @k5_spmv_coo_transposed(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k5_spmv_coo_transposed(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%j) : tensor<?xf64> {
    %0 = index_notation.reduce add (%i) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%i] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K6: the transpose of CSR is CSC.  y[i] = B[j,i] * c[j]
// CHECK-LABEL: func.func @k6_csr_transposed(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %j = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k6_csr_transposed(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%j, %i] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#format1 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K8: DCSR and CSR.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @k8_rows_dcsr(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k8_rows_dcsr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %k] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %j] : tensor<?x?xf64, #format1>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K8: both by columns: columns are combined.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @k8_columns(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k8_columns(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64> {
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

#format0 = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
#format1 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K8: a coordinate list on the left is one loop.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @k8_rows_coo(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k8_rows_coo(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %k] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %j] : tensor<?x?xf64, #format1>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}
