// K50 in other formats and orders: blocks outside, the places in a block inside.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i, j) -> (j floordiv 3 : dense, i floordiv 2 : compressed, i mod 2 : dense, j mod 3 : dense)>
// K50: block columns outside.  y[i] = A[i,j] * x[j]
// CHECK-LABEL: func.func @k50_bcsc(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %jo = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %ii = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %ji = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k50_bcsc(%A: tensor<?x?xf64, #format0>, %x: tensor<?xf64>) -> tensor<?xf64> {
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

// -----

#format0 = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
// K50: the transpose of BCSR.  y[j] = A[i,j] * x[i]
// CHECK-LABEL: func.func @k50_transposed(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %io = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %ii = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %ji = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k50_transposed(%A: tensor<?x?xf64, #format0>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%j) : tensor<?xf64> {
    %0 = index_notation.reduce add (%i) : f64 {
      %1 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %x[%i] : tensor<?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i, j) -> (i floordiv 2 : compressed, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
// K50: stored block rows only.  y[i] = A[i,j] * x[j]
// CHECK-LABEL: func.func @k50_double_compressed(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %ii = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %ji = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k50_double_compressed(%A: tensor<?x?xf64, #format0>, %x: tensor<?xf64>) -> tensor<?xf64> {
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

// -----

#format0 = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
// K50: with several vectors.  Y[i,k] = A[i,j] * X[j,k]
// CHECK-LABEL: func.func @k50_spmm(
// CHECK-NEXT: loop.fill {{.*}}, %Y_vals[
// CHECK-NEXT: loop.for %io = {{.*}} to {{.*}} {
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %ii = {{.*}} to {{.*}} {
// CHECK-NEXT:       loop.for %ji = {{.*}} to {{.*}} {
// CHECK-NEXT:         loop.for %k = {{.*}} to %X_n1 {
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k50_spmm(%A: tensor<?x?xf64, #format0>, %X: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Y = index_notation.assign (%i, %k) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%j) : f64 {
      %1 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #format0>
      %2 = index_notation.access %X[%j, %k] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %Y : tensor<?x?xf64>
}

// -----

#format0 = #storage.format<(i, j, k, l) -> (i : dense, j : compressed, k : dense, l : dense)>
// K50: blocks as dimensions of their own.  y[i,k] = A[i,j,k,l] * x[j,l]
// CHECK-LABEL: func.func @k50_order_four(
// CHECK-NEXT: loop.for %i = {{.*}} to %A_n0 {
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT:   loop.for %p{{.*}} = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %k = {{.*}} to %A_n2 {
// CHECK-NEXT:       loop.for %l = {{.*}} to %A_n3 {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @k50_order_four(%A: tensor<?x?x?x?xf64, #format0>, %x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = index_notation.assign (%i, %k) : tensor<?x?xf64> {
    %0 = index_notation.reduce add (%j, %l) : f64 {
      %1 = index_notation.access %A[%i, %j, %k, %l] : tensor<?x?x?x?xf64, #format0>
      %2 = index_notation.access %x[%j, %l] : tensor<?x?xf64>
      %3 = algebra.apply mul(%1, %2) : (f64, f64) -> f64
      index_notation.yield %3 : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?x?xf64>
}
