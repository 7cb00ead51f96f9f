// Products whose operands are both stored along the variable that is summed over, as they are stored: every row of one
// meets every row of the other. By default one operand is converted instead (insert-conversions).
// RUN: irtensor-opt %s --split-input-file -p concretize,choose-loop-order,scalarize-reductions,concordize,concrete-index-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K7: rows times columns is an intersection per component.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @k7_inner_product(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %j = {{.*}} to %C_n1 {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k7_inner_product(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64> {
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

#format0 = #storage.format<(i, j, k, l) -> (i : compressed, j : compressed, k : compressed, l : compressed)>
// K25: CSF and CSF: p and q are intersected.  c[i,j,k,l] = a[i,p,k,q] * b[j,p,l,q]
// CHECK-LABEL: func.func @k25_contraction_csf(
// CHECK-NEXT: loop.fill {{.*}}, %c_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:         loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:           loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:             loop.while {
// CHECK-NEXT:             } do {
// CHECK-NEXT:               loop.if {{.*}} {
// CHECK-NEXT:               } else {
// CHECK-NEXT:               }
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k25_contraction_csf(%a: tensor<?x?x?x?xf64, #format0>, %b: tensor<?x?x?x?xf64, #format0>) -> tensor<?x?x?x?xf64> {
  %c = index_notation.assign (%i, %j, %k, %l) : tensor<?x?x?x?xf64> {
    %0 = index_notation.reduce add (%p, %q) : f64 {
      %1 = index_notation.access %a[%i, %p, %k, %q] : tensor<?x?x?x?xf64, #format0>
      %2 = index_notation.access %b[%j, %p, %l, %q] : tensor<?x?x?x?xf64, #format0>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %c : tensor<?x?x?x?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#format1 = #storage.format<(i, j) -> (j : compressed, i : compressed)>
// K7: DCSR and DCSC: stored rows and stored columns.  A[i,j] = B[i,k] * C[k,j]
// CHECK-LABEL: func.func @k7_inner_dcsr(
// CHECK-NEXT: loop.fill {{.*}}, %A_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k7_inner_dcsr(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format1>) -> tensor<?x?xf64> {
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

#format0 = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K7: the transpose of CSR on the right.  A[i,j] = B[i,k] * C[j,k]
// CHECK-LABEL: func.func @k7_inner_transposed(
// CHECK-NEXT: loop.for %i = {{.*}} to %B_n0 {
// CHECK-NEXT:   loop.for %j = {{.*}} to %C_n0 {
// CHECK-NEXT:     loop.while {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k7_inner_transposed(%B: tensor<?x?xf64, #format0>, %C: tensor<?x?xf64, #format0>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%k) : f64 {
      %1 = index_notation.access %B[%i, %k] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %C[%j, %k] : tensor<?x?xf64, #format0>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %A : tensor<?x?xf64>
}
