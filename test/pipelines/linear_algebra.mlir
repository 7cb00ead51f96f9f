// Linear algebra, unscheduled: the nest of loops that each storage format asks for (Kjolstad 2020, chapters 1-5).
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

// K1: dense matrix times vector: two counted loops.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k1_gemv(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %j = {{.*}} to %B_n1 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k1_gemv(%B: tensor<?x?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64>
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
// K2: SpMV is two counted loops and no branch.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k2_spmv(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k2_spmv(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
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

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K3: rows without entries are not visited, so all of y is initialised.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k3_spmv_dcsr(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k3_spmv_dcsr(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
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

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// K4: stored rows, each intersected with the vector; a row is appended because it was visited.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k4_spmspv(
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
func.func @k4_spmspv(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?xf64, #format1> {
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

#format0 = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// K5: a coordinate list is one loop over its entries.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k5_spmv_coo(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k5_spmv_coo(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
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
#format1 = #storage.format<(i) -> (i : compressed)>
// K5b: with an appended result, the entries of a row are found first.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k5b_rows_coo(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k5b_rows_coo(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64, #format1> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format1> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K6: columns outermost, scattered into dense y.  y[i] = B[i,j] * c[j]
// CHECK-LABEL: func.func @k6_spmv_csc(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %j = {{.*}} to %B_n1 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k6_spmv_csc(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?xf64> {
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
// K8: rows times rows scatters into dense A.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @k8_row_combination(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k8_row_combination(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64> {
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

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Sparse times dense: the dense rows are looked up, never merged.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @k8_spmm(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k8_spmm(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %k] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %j] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K10: the sum of two matrices merges each pair of rows once, then copies what is left of one.  A[i,j] = B[i,j] + C[i,j]
// CHECK-LABEL: func.func @k10_add(
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
// CHECK-NEXT:     loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k10_add(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K11: intersections at both levels; a row is appended if it holds anything.  A[i,j] = B[i,j] * C[i,j]
// CHECK-LABEL: func.func @k11_multiply(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k11_multiply(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K12: B and the transpose of C, which is stored by columns.  A[i,j] = B[i,j] + C[j,i]
// CHECK-LABEL: func.func @k12_transposed(
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
// CHECK-NEXT:     loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k12_transposed(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%j, %i] : tensor<?x?xf64, #format1>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K13: a sum under a mask.  A[i,j] = (B[i,j] + C[j,i]) * D[i,j]
// CHECK-LABEL: func.func @k13_mask_sum(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k13_mask_sum(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>, %D: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%j, %i] : tensor<?x?xf64, #format1>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %D[%i, %j] : tensor<?x?xf64, #format0>
    %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K14: a reduction inside an expression.  r[i] = b[i] - sum(j, A[i,j] * x[j])
// CHECK-LABEL: func.func @k14_residual(
// CHECK-NEXT: loop.for %i = {{.*}} to %b_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k14_residual(%b: tensor<?xf64>, %A: tensor<?x?xf64, #format0>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %b[%i] : tensor<?xf64>
    %1 = index_notation.reduce add (%j) : f64 {
      %2 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #format0>
      %3 = index_notation.access %x[%j] : tensor<?xf64>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply sub(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %r : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K15: SpMV plus a dense vector.  a[i] = sum(j, B[i,j] * c[j]) + d[i]
// CHECK-LABEL: func.func @k15_spmv_plus_dense(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k15_spmv_plus_dense(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %a = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    %4 = index_notation.access %d[%i] : tensor<?xf64>
    %5 = algebra.apply add(%0, %4) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %a : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
// K15 with a sparse vector.  a[i] = sum(j, B[i,j] * c[j]) + d[i]
// CHECK-LABEL: func.func @k15_spmv_plus_sparse(
// CHECK-NEXT: loop.fill {{.*}}, %a_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_1 = {{.*}} to %B_n0 {
// CHECK-NEXT:     loop.for %p_3 = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k15_spmv_plus_sparse(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>, %d: tensor<?xf64, #format1>) -> tensor<?xf64> {
  %a = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %c[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    %4 = index_notation.access %d[%i] : tensor<?xf64, #format1>
    %5 = algebra.apply add(%0, %4) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %a : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K18: (B + C) D: rows are merged, the entries of each operand are walked, D is looked up.  A[i,j] = sum(k, (B[i,k] + C[i,k]) * D[k,j])
// CHECK-LABEL: func.func @k18_sum_times_dense(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.fill {{.*}}, %w_3[
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %j = {{.*}} to %D_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.fill {{.*}}, %w_5[
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %j_1 = {{.*}} to %D_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.for %j_2 = {{.*}} to %D_n1 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k18_sum_times_dense(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %k] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %C[%i, %k] : tensor<?x?xf64, #format0>
      %3 = algebra.apply add(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %D[%k, %j] : tensor<?x?xf64>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// Five operands: one merge per level, whose body selects between entries and nothing; code grows linearly (pitfall P25).  A[i,j] = B[i,j] + C[i,j] + D[i,j] + E[i,j] + F[i,j]
// CHECK-LABEL: func.func @add_five(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @add_five(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>, %D: tensor<?x?xf64, #format0>, %E: tensor<?x?xf64, #format0>, %F: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %D[%i, %j] : tensor<?x?xf64, #format0>
    %4 = algebra.apply add(%2, %3) : (f64, f64) -> f64
    %5 = index_notation.access %E[%i, %j] : tensor<?x?xf64, #format0>
    %6 = algebra.apply add(%4, %5) : (f64, f64) -> f64
    %7 = index_notation.access %F[%i, %j] : tensor<?x?xf64, #format0>
    %8 = algebra.apply add(%6, %7) : (f64, f64) -> f64
    index_notation.yield %8 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A diagonal: each row is searched for one coordinate.  y[i] = B[i,i]
// CHECK-LABEL: func.func @csr_diagonal(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT:   {{.*}} = loop.lower_bound %B_crd1[{{.*}} to {{.*}}], %i : i64
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @csr_diagonal(%B: tensor<?x?xf64, #format0>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %B[%i, %i] : tensor<?x?xf64, #format0>
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A transposed dense operand is looked up.  A[i,j] = B[i,j] * C[j,i]
// CHECK-LABEL: func.func @dense_transposed(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @dense_transposed(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%j, %i] : tensor<?x?xf64>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// Operands stored by rows and by columns: the second one is asked for by rows (insert-conversions), the sum merges as usual.  A[i,j] = B[i,j] * C[i,j]
// CHECK-LABEL: func.func @wrong_order(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @wrong_order(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format1>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}
