// Compound and graph kernels: masks, sampled products, counting.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K20: SDDMM: the pattern of B outside, the dense product inside, i, j, k (pitfall P6).  A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])
// CHECK-LABEL: func.func @k20_sddmm(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k20_sddmm(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #format0> {
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

#format0 = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
// K21 for three dimensions: k innermost.  A[i,j,l] = B[i,j,l] * sum(k, C[i,k] * D[j,k] * E[l,k])
// CHECK-LABEL: func.func @k21_tttp(
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %p_2 = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %k = {{.*}} to %C_n1 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k21_tttp(%B: tensor<?x?x?xf64, #format0>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>, %E: tensor<?x?xf64>) -> tensor<?x?x?xf64, #format0> {
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
#format1 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K22: one step of a breadth-first search.  a[i] = b[i] * sum(j, C[i,j] * d[j])
// CHECK-LABEL: func.func @k22_masked_spmv(
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
func.func @k22_masked_spmv(%b: tensor<?xf64, #format0>, %C: tensor<?x?xf64, #format1>, %d: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
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

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K23: triangles: an intersection per stored pair.  A[i,j] = B[i,j] * sum(k, L[i,k] * U[k,j])
// CHECK-LABEL: func.func @k23_triangles(
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
func.func @k23_triangles(%B: tensor<?x?xf64, #format0>, %L: tensor<?x?xf64, #format0>, %U: tensor<?x?xf64, #format1>) -> tensor<?x?xf64, #format0> {
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
// K24: trace of a cube: the same operand three times, a scalar result.  s = A[i,j] * A[j,k] * A[k,i]
// CHECK-LABEL: func.func @k24_trace(
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
func.func @k24_trace(%A: tensor<?x?xf64, #format0>) -> tensor<f64> {
  %s = index_notation.assign () : tensor<f64> {
    %0 = index_notation.reduce add (%i, %j, %k) : f64 {
      %1 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %A[%j, %k] : tensor<?x?xf64, #format0>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      %4 = index_notation.access %A[%k, %i] : tensor<?x?xf64, #format0>
      %5 = algebra.apply mul(%3, %4) : (f64, f64) -> f64
      index_notation.yield %5 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %s : tensor<f64>
}

// -----

// A definition may read an earlier one that is dense and returned as well.
// CHECK-LABEL: func.func @norm
// CHECK-SAME: %y_n0: index, %y_vals: !loop.buffer<f64> {loop.extents = array<i64: 2>}, %total_vals: !loop.buffer<f64>
// CHECK-NEXT: loop.for %i = {{.*}} to %x_n0 {
// CHECK-NEXT: }
// CHECK-NEXT: loop.for {{.*}} to %y_n0 {
func.func @norm(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<f64>) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    %b = algebra.apply mul(%a, %a) : (f64, f64) -> f64
    index_notation.yield %b : f64
  }
  %total = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      %a = index_notation.access %y[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y, %total : tensor<?xf64>, tensor<f64>
}
