// RUN: irtensor-opt %s --split-input-file -p separate-terms | filecheck %s

// The lists of both are equal, and walked together.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @same_entries
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @same_entries(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr> {storage.entries_of = 0 : index}, %x: tensor<?xf64>) -> tensor<?xf64> {
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

// Digits cancel in each difference, and do not in a difference of sums.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @difference
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @difference(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %t = algebra.apply sub(%a, %b) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// A maximum of sums is no sum of maxima.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @other_operator
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @other_operator(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce max (%j) : f64 {
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

// A sum of maxima is no maximum of sums.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @not_distributed
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @not_distributed(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %t = algebra.apply max(%a, %b) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// What is divided by is no factor.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @divisor
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @divisor(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %t = algebra.apply add(%a, %b) : (f64, f64) -> f64
      %p = algebra.apply div(%c, %t) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// A function would be computed at more coordinates.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @function
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @function(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %e = algebra.apply exp(%c) : (f64) -> f64
      %t = algebra.apply add(%a, %b) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %e) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// The list of the factor would be walked again.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @sparse_factor
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @sparse_factor(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %C[%i, %j] : tensor<?x?xf64, #csr>
      %t = algebra.apply add(%a, %b) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Dense terms are added up in one loop.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @dense_terms
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @dense_terms(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %t = algebra.apply add(%a, %c) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Sums of this function keep their order.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @in_order
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @in_order(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> attributes {algebra.keeps_order} {
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

// The sum of both is used twice.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @used_twice
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @used_twice(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %t = algebra.apply add(%a, %b) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %t) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// A sparse result has an entry where a term has one.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
// CHECK-LABEL: func.func @sparse_result
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @sparse_result(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64, #list> {
  %y = index_notation.assign (%i) : tensor<?xf64, #list> {
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
  func.return %y : tensor<?xf64, #list>
}

// -----

// Whether there is an entry is asked.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @stored
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @stored(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csr>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %q = algebra.apply stored(%b) : (f64) -> i1
      %r = algebra.cast %q : i1 to f64
      %t = algebra.apply add(%a, %r) : (f64, f64) -> f64
      %p = algebra.apply mul(%t, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Nothing beside `%v` says how many coordinates there are along j.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @extent_of_one_term
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @extent_of_one_term(%A: tensor<?x?xf64, #csr>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %v[%i] : tensor<?xf64>
      %t = algebra.apply add(%a, %b) : (f64, f64) -> f64
      index_notation.yield %t : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// The loop over g walks no list: `%A` is walked in a sum of its own, and both sums would read all of `%W`.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @list_of_another_sum
// CHECK-COUNT-2: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @list_of_another_sum(%A: tensor<?x?xf64, #csr>, %X: tensor<?x?xf64>, %W: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = index_notation.assign (%i, %f) : tensor<?x?xf64> {
    %s = index_notation.reduce add (%g) : f64 {
      %b = index_notation.access %X[%i, %g] : tensor<?x?xf64>
      %u = index_notation.reduce add (%j) : f64 {
        %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %c = index_notation.access %X[%j, %g] : tensor<?x?xf64>
        %q = algebra.apply mul(%a, %c) : (f64, f64) -> f64
        index_notation.yield %q : f64
      }
      %t = algebra.apply add(%b, %u) : (f64, f64) -> f64
      %w = index_notation.access %W[%g, %f] : tensor<?x?xf64>
      %p = algebra.apply mul(%t, %w) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?x?xf64>
}

// -----

// Only the other term has an operand along j, which stands in a sum of its own.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @extent_of_an_inner_sum
// CHECK-COUNT-2: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @extent_of_an_inner_sum(%A: tensor<?x?xf64, #csr>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %b = index_notation.access %v[%i] : tensor<?xf64>
      %u = index_notation.reduce add (%k) : f64 {
        %a = index_notation.access %A[%j, %k] : tensor<?x?xf64, #csr>
        index_notation.yield %a : f64
      }
      %t = algebra.apply add(%b, %u) : (f64, f64) -> f64
      index_notation.yield %t : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
