// Tensors of higher order in other formats and orders.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

// K25: dense: no branch.  c[i,j,k,l] = a[i,p,k,q] * b[j,p,l,q]
// CHECK-LABEL: func.func @k25_contraction_dense(
// CHECK-NEXT: loop.for %i = {{.*}} to %a_n0 {
// CHECK-NEXT:   loop.for %j = {{.*}} to %b_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %c_vals[
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to %a_n1 {
// CHECK-NEXT:       loop.for %k = {{.*}} to %a_n2 {
// CHECK-NEXT:         loop.for %l = {{.*}} to %b_n2 {
// CHECK-NEXT:           loop.for %q = {{.*}} to %a_n3 {
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k25_contraction_dense(%a: tensor<?x?x?x?xf64>, %b: tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64> {
  %c = index_notation.assign (%i, %j, %k, %l) : tensor<?x?x?x?xf64> {
    %0 = index_notation.reduce add (%p, %q) : f64 {
      %1 = index_notation.access %a[%i, %p, %k, %q] : tensor<?x?x?x?xf64>
      %2 = index_notation.access %b[%j, %p, %l, %q] : tensor<?x?x?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %c : tensor<?x?x?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k, l) -> (i : compressed, j : compressed, k : compressed, l : compressed)>
// K25: operands and result in other orders.  c[k,l,i,j] = a[i,p,k,q] * b[q,l,p,j]
// CHECK-LABEL: func.func @k25_contraction_transposed(
// CHECK-NEXT: loop.fill {{.*}}, %c_vals[
// CHECK-NEXT: loop.for %l = {{.*}} to %b_n1 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:         loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:           loop.for %j = {{.*}} to %b_n3 {
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k25_contraction_transposed(%a: tensor<?x?x?x?xf64, #format0>, %b: tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64> {
  %c = index_notation.assign (%k, %l, %i, %j) : tensor<?x?x?x?xf64> {
    %0 = index_notation.reduce add (%p, %q) : f64 {
      %1 = index_notation.access %a[%i, %p, %k, %q] : tensor<?x?x?x?xf64, #format0>
      %2 = index_notation.access %b[%q, %l, %p, %j] : tensor<?x?x?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %c : tensor<?x?x?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
// K30: into a dense result.  A[i,j,l] = B[i,j,k] * C[k,l]
// CHECK-LABEL: func.func @k30_ttm_dense_result(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %l = {{.*}} to %C_n1 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k30_ttm_dense_result(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?x?xf64> {
  %A = index_notation.assign (%i, %j, %l) : tensor<?x?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %l] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)>
// K30: a coordinate list is one loop around the dense one.  A[i,j,l] = B[i,j,k] * C[k,l]
// CHECK-LABEL: func.func @k30_ttm_coo(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %l = {{.*}} to %C_n1 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k30_ttm_coo(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?x?xf64> {
  %A = index_notation.assign (%i, %j, %l) : tensor<?x?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %l] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (j : compressed, k : compressed, i : compressed)>
// K30 along the first dimension: B is stored with it innermost.  A[l,j,k] = B[i,j,k] * C[l,i]
// CHECK-LABEL: func.func @k30_ttm_first_mode(
// CHECK-NEXT: loop.for %l = {{.*}} to %C_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k30_ttm_first_mode(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?x?xf64> {
  %A = index_notation.assign (%l, %j, %k) : tensor<?x?x?xf64> {
    %0 = index_notation.reduce add (%i) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %C[%l, %i] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : dense, j : compressed, k : compressed)>
#format1 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K31: dense rows.  A[i,j] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @k31_ttv_csr_like(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k31_ttv_csr_like(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?x?xf64, #format1> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format1> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %c[%k] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
#format1 = #storage.format<(i) -> (i : compressed)>
#format2 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K31: with a sparse vector: an intersection in every fiber.  A[i,j] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @k31_ttv_sparse_vector(
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
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k31_ttv_sparse_vector(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64, #format1>) -> tensor<?x?xf64, #format2> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format2> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %c[%k] : tensor<?xf64, #format1>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64, #format2>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
#format1 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
// K31: into the transpose.  A[j,i] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @k31_ttv_transposed(
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k31_ttv_transposed(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?x?xf64, #format1> {
  %A = index_notation.assign (%j, %i) : tensor<?x?xf64, #format1> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %c[%k] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)>
#format1 = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// K31: a coordinate list into another: entries of one fiber are found first.  A[i,j] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @k31_ttv_coo_result(
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
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k31_ttv_coo_result(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?x?xf64, #format1> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #format1> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %c[%k] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)>
// K32: coordinate lists.  A[i,j,k] = B[i,j,k] + C[i,j,k]
// CHECK-LABEL: func.func @k32_add_coo(
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
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.while {
// CHECK-NEXT:       } do {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.while {
// CHECK-NEXT:         } do {
// CHECK-NEXT:           loop.if {{.*}} {
// CHECK-NEXT:           } else {
// CHECK-NEXT:             loop.if {{.*}} {
// CHECK-NEXT:             } else {
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       } else {
// CHECK-NEXT:         loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k32_add_coo(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?x?xf64, #format0>) -> tensor<?x?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j, %k) : tensor<?x?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j, %k] : tensor<?x?x?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : dense, j : dense, k : compressed)>
#format1 = #storage.format<(i, j, k) -> (j : dense, k : dense, i : compressed)>
// K32: dense outer levels of all operands are one loop; C is a transpose.  A[i,j,k] = B[i,j,k] + C[k,i,j]
// CHECK-LABEL: func.func @k32_add_dense_rows(
// CHECK-NEXT: loop.for %i = {{.*}} to {{.*}} {
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
func.func @k32_add_dense_rows(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?x?xf64, #format1>) -> tensor<?x?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j, %k) : tensor<?x?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
    %1 = index_notation.access %C[%k, %i, %j] : tensor<?x?x?xf64, #format1>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)>
// K33: a coordinate list is one loop around the dense one.  A[i,j] = B[i,k,l] * C[k,j] * D[l,j]
// CHECK-LABEL: func.func @k33_mttkrp_coo(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k33_mttkrp_coo(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k, %l) : f64 {
      %1 = index_notation.access %B[%i, %k, %l] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %j] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %D[%l, %j] : tensor<?x?xf64>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : dense, j : compressed, k : compressed)>
// K33: dense rows.  A[i,j] = B[i,k,l] * C[k,j] * D[l,j]
// CHECK-LABEL: func.func @k33_mttkrp_dense_rows(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k33_mttkrp_dense_rows(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k, %l) : f64 {
      %1 = index_notation.access %B[%i, %k, %l] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %j] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %D[%l, %j] : tensor<?x?xf64>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
// K33 for the second dimension of the same tensor: rows scatter.  A[k,j] = B[i,k,l] * C[i,j] * D[l,j]
// CHECK-LABEL: func.func @k33_mttkrp_second_mode(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k33_mttkrp_second_mode(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%k, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%i, %l) : f64 {
      %1 = index_notation.access %B[%i, %k, %l] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %C[%i, %j] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %D[%l, %j] : tensor<?x?xf64>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k, l) -> (i : compressed, j : compressed, k : compressed, l : compressed)>
// K33 of order four.  A[i,j] = B[i,k,l,m] * C[k,j] * D[l,j] * E[m,j]
// CHECK-LABEL: func.func @k33_mttkrp_order_four(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:         loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k33_mttkrp_order_four(%B: tensor<?x?x?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>, %E: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k, %l, %m) : f64 {
      %1 = index_notation.access %B[%i, %k, %l, %m] : tensor<?x?x?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %j] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %D[%l, %j] : tensor<?x?xf64>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      %6 = index_notation.access %E[%m, %j] : tensor<?x?xf64>
      %7 = algebra.apply mul(%5, %6) : (f64, f64) -> f64
      index_notation.yield %7 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}
