// Masks, sampled products and counting in other formats and orders.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K20: stored rows only.  A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])
// CHECK-LABEL: func.func @k20_sddmm_dcsr(
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k20_sddmm_dcsr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %C[%i, %k] : tensor<?x?xf64>
      %3 = index_notation.access %D[%k, %j] : tensor<?x?xf64>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// K20: a coordinate list: the entries of a row are found first.  A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])
// CHECK-LABEL: func.func @k20_sddmm_coo(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k20_sddmm_coo(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %C[%i, %k] : tensor<?x?xf64>
      %3 = index_notation.access %D[%k, %j] : tensor<?x?xf64>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K20: by columns, j before i.  A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])
// CHECK-LABEL: func.func @k20_sddmm_columns(
// CHECK-NEXT: loop.for %j = {{.*}} to %D_n1 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k20_sddmm_columns(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %C[%i, %k] : tensor<?x?xf64>
      %3 = index_notation.access %D[%k, %j] : tensor<?x?xf64>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : dense)>
// K20: D by columns, so that both rows are contiguous.  A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])
// CHECK-LABEL: func.func @k20_sddmm_dense_by_columns(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k20_sddmm_dense_by_columns(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %C[%i, %k] : tensor<?x?xf64>
      %3 = index_notation.access %D[%k, %j] : tensor<?x?xf64, #format1>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
#format1 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K20: the transpose of CSC, and of D.  A[i,j] = B[j,i] * sum(k, C[i,k] * D[j,k])
// CHECK-LABEL: func.func @k20_sddmm_transposed(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n1 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k20_sddmm_transposed(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #format1> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format1> {
    %0 = index_notation.access %B[%j, %i] : tensor<?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %C[%i, %k] : tensor<?x?xf64>
      %3 = index_notation.access %D[%j, %k] : tensor<?x?xf64>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %A : tensor<?x?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)>
// K21: a coordinate list.  A[i,j,l] = B[i,j,l] * sum(k, C[i,k] * D[j,k] * E[l,k])
// CHECK-LABEL: func.func @k21_tttp_coo(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k21_tttp_coo(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>, %E: tensor<?x?xf64>) -> tensor<?x?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j, %l) : tensor<?x?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j, %l] : tensor<?x?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %C[%i, %k] : tensor<?x?xf64>
      %3 = index_notation.access %D[%j, %k] : tensor<?x?xf64>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      %5 = index_notation.access %E[%l, %k] : tensor<?x?xf64>
      %6 = algebra.apply mul(%4, %5) : (f64, f64) -> f64
      index_notation.yield %6 : f64
    }
    %7 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %7 : f64
  }
  func.return %A : tensor<?x?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
#format1 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K22: rows that both the mask and C store.  a[i] = b[i] * sum(j, C[i,j] * d[j])
// CHECK-LABEL: func.func @k22_mask_dcsr(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
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
func.func @k22_mask_dcsr(%b: tensor<?xf64, #format0>, %C: tensor<?x?xf64, #format1>, %d: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %a = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %1 = index_notation.reduce add (%j) : f64 {
      %2 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format1>
      %3 = index_notation.access %d[%j] : tensor<?xf64, #format0>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %a : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
#format1 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K22: a dense frontier is looked up.  a[i] = b[i] * sum(j, C[i,j] * d[j])
// CHECK-LABEL: func.func @k22_mask_dense_frontier(
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k22_mask_dense_frontier(%b: tensor<?xf64, #format0>, %C: tensor<?x?xf64, #format1>, %d: tensor<?xf64>) -> tensor<?xf64, #format0> {
  %a = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %1 = index_notation.reduce add (%j) : f64 {
      %2 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format1>
      %3 = index_notation.access %d[%j] : tensor<?xf64>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %a : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K22: the transpose of CSC.  a[i] = b[i] * sum(j, C[j,i] * d[j])
// CHECK-LABEL: func.func @k22_mask_transposed(
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
func.func @k22_mask_transposed(%b: tensor<?xf64, #format0>, %C: tensor<?x?xf64, #format1>, %d: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %a = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %1 = index_notation.reduce add (%j) : f64 {
      %2 = index_notation.access %C[%j, %i] : tensor<?x?xf64, #format1>
      %3 = index_notation.access %d[%j] : tensor<?xf64, #format0>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %a : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K23: stored rows that B and L share.  A[i,j] = B[i,j] * sum(k, L[i,k] * U[k,j])
// CHECK-LABEL: func.func @k23_triangles_dcsr(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k23_triangles_dcsr(%B: tensor<?x?xf64, #format0>, %L: tensor<?x?xf64, #format0>, %U: tensor<?x?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %L[%i, %k] : tensor<?x?xf64, #format0>
      %3 = index_notation.access %U[%k, %j] : tensor<?x?xf64, #format1>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K23: L and its transpose are one operand.  A[i,j] = B[i,j] * sum(k, L[i,k] * L[j,k])
// CHECK-LABEL: func.func @k23_triangles_transposed(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k23_triangles_transposed(%B: tensor<?x?xf64, #format0>, %L: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.reduce add (%k) : f64 {
      %2 = index_notation.access %L[%i, %k] : tensor<?x?xf64, #format0>
      %3 = index_notation.access %L[%j, %k] : tensor<?x?xf64, #format0>
      %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
      index_notation.yield %4 : f64
    }
    %5 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %5 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K23: counted, nothing is stored.  s = sum((i,j,k), B[i,j] * L[i,k] * L[j,k])
// CHECK-LABEL: func.func @k23_triangles_count(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k23_triangles_count(%B: tensor<?x?xf64, #format0>, %L: tensor<?x?xf64, #format0>) -> tensor<f64> {
  %s = index_notation.assign () : tensor<f64> {
    %0 = index_notation.reduce add (%i, %j, %k) : f64 {
      %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %L[%i, %k] : tensor<?x?xf64, #format0>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %L[%j, %k] : tensor<?x?xf64, #format0>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %s : tensor<f64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K24: with a copy by columns, nothing is converted.  s = A[i,j] * A[j,k] * C[k,i]
// CHECK-LABEL: func.func @k24_trace_copy(
// CHECK-NEXT: loop.for %i = {{.*}} to %A_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k24_trace_copy(%A: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<f64> {
  %s = index_notation.assign () : tensor<f64> {
    %0 = index_notation.reduce add (%i, %j, %k) : f64 {
      %1 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %A[%j, %k] : tensor<?x?xf64, #format0>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %C[%k, %i] : tensor<?x?xf64, #format1>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %s : tensor<f64>
}
