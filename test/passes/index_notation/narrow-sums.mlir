// RUN: irtensor-opt %s --split-input-file -p narrow-sums | filecheck %s

// CHECK-LABEL: func.func @one_factor
// CHECK:         index_notation.reduce add (%k) : f64 {
// CHECK-NEXT:      %a = index_notation.access %A[%i, %k]
// CHECK-NEXT:      %0 = index_notation.reduce add (%j) : f64 {
// CHECK-NEXT:        %b = index_notation.access %B[%k, %j]
// CHECK-NEXT:        index_notation.yield %b
// CHECK-NEXT:      }
// CHECK-NEXT:      %p = algebra.apply mul(%a, %0)
// CHECK-NEXT:      index_notation.yield %p
func.func @one_factor(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%k, %j) : f64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %B[%k, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// All indices belong to one factor each: no loop is around both.
// CHECK-LABEL: func.func @apart
// CHECK:         %0 = index_notation.reduce add (%k) : f64 {
// CHECK:         %1 = index_notation.reduce add (%j) : f64 {
// CHECK:         %p = algebra.apply mul(%0, %1)
// CHECK-NEXT:    index_notation.yield %p
func.func @apart(%A: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%k, %j) : f64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// A function of the factor, and a sum in it, go along.
// CHECK-LABEL: func.func @what_computes_the_factor
// CHECK:         index_notation.reduce max (%k) : f64 {
// CHECK:           index_notation.reduce max (%j) : f64 {
// CHECK-NEXT:        index_notation.access %B[%k, %j]
// CHECK-NEXT:        index_notation.reduce add (%l) : f64 {
// CHECK:             algebra.apply div
// CHECK-NEXT:        index_notation.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      algebra.apply add
func.func @what_computes_the_factor(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce max (%k, %j) : f64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %B[%k, %j] : tensor<?x?xf64>
      %t = index_notation.reduce add (%l) : f64 {
        %c = index_notation.access %B[%j, %l] : tensor<?x?xf64>
        index_notation.yield %c : f64
      }
      %d = algebra.apply abs(%t) : (f64) -> f64
      %e = algebra.apply div(%b, %d) : (f64, f64) -> f64
      %p = algebra.apply add(%a, %e) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Sums that are written in one another are one.
// CHECK-LABEL: func.func @sum_in_a_sum
// CHECK:         index_notation.reduce add (%k) : f64 {
// CHECK-NEXT:      %a = index_notation.access %A[%k, %i]
// CHECK-NEXT:      %0 = index_notation.reduce add (%j) : f64 {
// CHECK-NEXT:        %b = index_notation.access %B[%j, %k]
func.func @sum_in_a_sum(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %t = index_notation.reduce add (%k) : f64 {
        %a = index_notation.access %A[%k, %i] : tensor<?x?xf64>
        %b = index_notation.access %B[%j, %k] : tensor<?x?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        index_notation.yield %p : f64
      }
      index_notation.yield %t : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Factors that an index connects are summed together, in each of the two sums; a divisor goes along.
// CHECK-LABEL: func.func @two_products
// CHECK:      index_notation.assign (%i)
// CHECK:        %[[first:.*]] = index_notation.reduce add (%j) : f64 {
// CHECK:          algebra.apply mul(%{{.*}}, %{{.*}})
// CHECK:        }
// CHECK:        %[[second:.*]] = index_notation.reduce add (%k) : f64 {
// CHECK:          algebra.apply div(%{{.*}}, %{{.*}})
// CHECK:        }
// CHECK:        %[[product:.*]] = algebra.apply mul(%[[first]], %[[second]])
// CHECK-NEXT:   index_notation.yield %[[product]]
func.func @two_products(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j, %k) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
      %b = index_notation.access %B[%i, %k] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
      %d = index_notation.access %x[%k] : tensor<?xf64>
      %r = algebra.apply div(%q, %d) : (f64, f64) -> f64
      index_notation.yield %r : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// What nothing uses is no use of a factor.
// CHECK-LABEL: func.func @unused
// CHECK:         %0 = index_notation.reduce add (%j) : f64 {
// CHECK:         %p = algebra.apply mul(%a, %0)
// CHECK-NEXT:    index_notation.yield %p
func.func @unused(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%k, %j) : f64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %B[%k, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      %again = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// Indices of a symmetric operand that may be exchanged stay in one sum: mirrors of an entry are computed once then. The
// sum over k has nothing to do with them.
// CHECK-LABEL: func.func @exchangeable
// CHECK:         index_notation.reduce add (%i, %j)
// CHECK:         index_notation.reduce add (%k)
// CHECK-NOT:     index_notation.reduce
func.func @exchangeable(%A: tensor<?x?xf64, #sym>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i, %j, %k) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #sym>
      %b = index_notation.access %x[%i] : tensor<?xf64>
      %c = index_notation.access %x[%j] : tensor<?xf64>
      %d = index_notation.access %z[%k] : tensor<?xf64>
      %p = algebra.apply mul(%b, %a) : (f64, f64) -> f64
      %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
      %r = algebra.apply mul(%q, %d) : (f64, f64) -> f64
      index_notation.yield %r : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}
