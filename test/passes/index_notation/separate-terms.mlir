// RUN: irtensor-opt %s --split-input-file -p separate-terms | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @factor
// CHECK:         index_notation.reduce add (%j) : f64 {
// CHECK-NEXT:      %a = index_notation.access %A[%i, %j]
// CHECK-NEXT:      %c = index_notation.access %x[%j]
// CHECK-NEXT:      %p = algebra.apply mul(%a, %c)
// CHECK-NEXT:      index_notation.yield %p
// CHECK-NEXT:    }
// CHECK-NEXT:    %1 = index_notation.reduce add (%j_1) : f64 {
// CHECK-NEXT:      %b = index_notation.access %B[%i, %j_1]
// CHECK-NEXT:      %c_1 = index_notation.access %x[%j_1]
// CHECK-NEXT:      %p_1 = algebra.apply mul(%b, %c_1)
// CHECK-NEXT:      index_notation.yield %p_1
// CHECK-NEXT:    }
// CHECK-NEXT:    %s = algebra.apply add(%0, %1)
// CHECK-NEXT:    index_notation.yield %s
func.func @factor(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %t = algebra.apply add(%a, %b) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Two terms have the entries of %A, which are walked once. The others are dense.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @same_list
// CHECK-COUNT-2: index_notation.reduce min (%j
// CHECK-NOT:     index_notation.reduce
func.func @same_list(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr> {storage.entries_of = 0 : index}, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce min (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %t = algebra.apply min(%a, %c) : (f64, f64) -> f64
      %u = algebra.apply min(%t, %b) : (f64, f64) -> f64
      index_notation.yield %u : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// One matrix by rows and by columns.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-2: index_notation.reduce add (%j
func.func @transposed(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %A[%j, %i] : tensor<?x?xf64, #csr>
      %t = algebra.apply add(%a, %b) : (f64, f64) -> f64
      index_notation.yield %t : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
