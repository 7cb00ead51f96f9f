// Tensors of higher order, and blocks.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j, k, l) -> (i : compressed, j : compressed, k : compressed, l : compressed)>
// K25: two fourth-order operands.  c[i,j,k,l] = a[i,p,k,q] * b[j,p,l,q]
// CHECK-LABEL: func.func @k25_contraction(
// CHECK-NEXT: loop.fill {{.*}}, %c_vals[
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %j = {{.*}} to %b_n0 {
// CHECK-NEXT:     loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:         loop.for %l = {{.*}} to %b_n2 {
// CHECK-NEXT:           loop.for %p_3 = {{.*}} to {{.*}} {
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k25_contraction(%a: tensor<?x?x?x?xf64, #format0>, %b: tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64> {
  %c = index_notation.assign (%i, %j, %k, %l) : tensor<?x?x?x?xf64> {
    %0 = index_notation.reduce add (%p, %q) : f64 {
      %1 = index_notation.access %a[%i, %p, %k, %q] : tensor<?x?x?x?xf64, #format0>
      %2 = index_notation.access %b[%j, %p, %l, %q] : tensor<?x?x?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %c : tensor<?x?x?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
#format1 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : dense)>
// K30: tensor times matrix into a semi-sparse result: no branch.  A[i,j,l] = B[i,j,k] * C[k,l]
// CHECK-LABEL: func.func @k30_ttm(
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.fill {{.*}}, {{.*}}[
// CHECK-NEXT:     loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %l = {{.*}} to %C_n1 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k30_ttm(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>) -> tensor<?x?x?xf64, #format1> {
  %A = index_notation.assign (%i, %j, %l) : tensor<?x?x?xf64, #format1> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %C[%k, %l] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?x?xf64, #format1>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
#format1 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// K31: tensor times vector.  A[i,j] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @k31_ttv(
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k31_ttv(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?x?xf64, #format1> {
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
// K31 into a dense matrix.  A[i,j] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @k31_ttv_dense(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k31_ttv_dense(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %c[%k] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)>
// K31 of a coordinate list: one loop.  A[i,j] = B[i,j,k] * c[k]
// CHECK-LABEL: func.func @k31_ttv_coo(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k31_ttv_coo(%B: tensor<?x?x?xf64, #format0>, %c: tensor<?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
      %2 = index_notation.access %c[%k] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
// K32: a merge per level; above a level that branches by case one selects, so that code grows linearly; what is left of one operand has loops of its own.  A[i,j,k] = B[i,j,k] + C[i,j,k]
// CHECK-LABEL: func.func @k32_add(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.while {
// CHECK-NEXT:         } do {
// CHECK-NEXT:           loop.if {{.*}} {
// CHECK-NEXT:           } else {
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       } else {
// CHECK-NEXT:         loop.for %p_3 = {{.*}} to {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:         loop.if {{.*}} {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:     loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p_4 = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } else {
// CHECK-NEXT:     loop.for {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %p_5 = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k32_add(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?x?xf64, #format0>) -> tensor<?x?x?xf64, #format0> {
  %A = index_notation.assign (%i, %j, %k) : tensor<?x?x?xf64, #format0> {
    %0 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format0>
    %1 = index_notation.access %C[%i, %j, %k] : tensor<?x?x?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %A : tensor<?x?x?xf64, #format0>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
// K33: MTTKRP: three loops over the tensor, then the dense columns.  A[i,j] = B[i,k,l] * C[k,j] * D[l,j]
// CHECK-LABEL: func.func @k33_mttkrp(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k33_mttkrp(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
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

#format0 = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>
// K50: blocks outside, places in a block inside.  y[i] = A[i,j] * x[j]
// CHECK-LABEL: func.func @k50_bcsr(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %io = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %ii = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %ji = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k50_bcsr(%A: tensor<?x?xf64, #format0>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %x[%j] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}
