// Element-wise kernels and sums of products in other formats and orders.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K10: DCSR: rows are merged, too.  A[i,j] = B[i,j] + C[i,j]
// CHECK-LABEL: func.func @k10_add_dcsr(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: } else {
// CHECK-NEXT:   loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k10_add_dcsr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K10: by columns.  A[i,j] = B[i,j] + C[i,j]
// CHECK-LABEL: func.func @k10_add_csc(
// CHECK-NEXT: loop.for %j = {{.*}} to %B_n1 {
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
func.func @k10_add_csc(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K10: CSR and DCSR: every row of B, merged with those that C stores.  A[i,j] = B[i,j] + C[i,j]
// CHECK-LABEL: func.func @k10_add_csr_dcsr(
// CHECK-NEXT: loop.fill {{.*}}, {{.*}}[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_1 = {{.*}} to %B_n0 {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.for %153 = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k10_add_csr_dcsr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format1>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K10: sparse plus dense: the gaps between entries are loops; nothing merges.  A[i,j] = B[i,j] + C[i,j]
// CHECK-LABEL: func.func @k10_add_csr_dense(
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
func.func @k10_add_csr_dense(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K11: CSR.  A[i,j] = B[i,j] * C[i,j]
// CHECK-LABEL: func.func @k11_multiply_csr(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k11_multiply_csr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
#format1 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
// K11: by columns, into DCSC.  A[i,j] = B[i,j] * C[i,j]
// CHECK-LABEL: func.func @k11_multiply_csc(
// CHECK-NEXT: loop.for %j = {{.*}} to %B_n1 {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k11_multiply_csc(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format1> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format1> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K11: times dense: the entries of B, C looked up.  A[i,j] = B[i,j] * C[i,j]
// CHECK-LABEL: func.func @k11_multiply_dense(
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k11_multiply_dense(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// K11: coordinate lists.  A[i,j] = B[i,j] * C[i,j]
// CHECK-LABEL: func.func @k11_multiply_coo(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k11_multiply_coo(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j] : tensor<?x?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
// K12: DCSR and the transpose of DCSC.  A[i,j] = B[i,j] + C[j,i]
// CHECK-LABEL: func.func @k12_dcsr(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: } else {
// CHECK-NEXT:   loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k12_dcsr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%j, %i] : tensor<?x?xf64, #format1>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
#format2 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K13: a mask in CSR over a sum of DCSR.  A[i,j] = (B[i,j] + C[j,i]) * D[i,j]
// CHECK-LABEL: func.func @k13_mask_dcsr(
// CHECK-NEXT: loop.fill {{.*}}, {{.*}}[
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         } else {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: } else {
// CHECK-NEXT:   loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.for {{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k13_mask_dcsr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>, %D: tensor<?x?xf64, #format2>) -> tensor<?x?xf64, #format2> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format2> {
    %0 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format0>
    %1 = index_notation.access %C[%j, %i] : tensor<?x?xf64, #format1>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %D[%i, %j] : tensor<?x?xf64, #format2>
    %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %A : tensor<?x?xf64, #format2>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// K14: a coordinate list: rows without entries are b, in loops of their own.  r[i] = b[i] - A[i,j] * x[j]
// CHECK-LABEL: func.func @k14_residual_coo(
// CHECK-NEXT: loop.fill {{.*}}, %r_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_1 = {{.*}} to %b_n0 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k14_residual_coo(%b: tensor<?xf64>, %A: tensor<?x?xf64, #format0>, %x: tensor<?xf64>) -> tensor<?xf64> {
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

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K14: by columns: b is stored first, and the product's terms are subtracted from it.  r[i] = b[i] - A[i,j] * x[j]
// CHECK-LABEL: func.func @k14_residual_columns(
// CHECK-NEXT: loop.for %i = {{.*}} to %b_n0 {
// CHECK-NEXT: }
// CHECK-NEXT: loop.for %j = {{.*}} to %A_n1 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k14_residual_columns(%b: tensor<?xf64>, %A: tensor<?x?xf64, #format0>, %x: tensor<?xf64>) -> tensor<?xf64> {
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

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K15: DCSR and a dense vector: the rows between the stored ones are d.  a[i] = B[i,j] * c[j] + d[i]
// CHECK-LABEL: func.func @k15_dcsr(
// CHECK-NEXT: loop.fill {{.*}}, %a_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_1 = {{.*}} to %B_n0 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k15_dcsr(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
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

#format0 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K15: the transpose of CSC.  a[i] = B[j,i] * c[j] + d[i]
// CHECK-LABEL: func.func @k15_transposed(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n1 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k15_transposed(%B: tensor<?x?xf64, #format0>, %c: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %a = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %B[%j, %i] : tensor<?x?xf64, #format0>
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
// K18: CSR: the entries of each operand in every row.  A[i,j] = sum(k, (B[i,k] + C[i,k]) * D[k,j])
// CHECK-LABEL: func.func @k18_csr(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
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
func.func @k18_csr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
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

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K18: the transpose of CSC.  A[i,j] = sum(k, (B[i,k] + C[k,i]) * D[k,j])
// CHECK-LABEL: func.func @k18_transposed(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
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
func.func @k18_transposed(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %k] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %i] : tensor<?x?xf64, #format1>
      %3 = algebra.apply add(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %D[%k, %j] : tensor<?x?xf64>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}
