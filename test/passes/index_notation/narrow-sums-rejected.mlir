// RUN: irtensor-opt %s --split-input-file -p narrow-sums | filecheck %s

// The other factor has no index that this one lacks: one nest goes through both.
// CHECK-LABEL: func.func @inside
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @inside(%A: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
      %b = index_notation.access %d[%i] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Two factors have the index.
// CHECK-LABEL: func.func @product
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @product(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %s = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %B[%k, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?x?xf64>
}

// -----

// A maximum of products is no product of maxima.
// CHECK-LABEL: func.func @does_not_distribute
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @does_not_distribute(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce max (%k, %j) : f64 {
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

// What is divided by is no factor.
// CHECK-LABEL: func.func @divided_by
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @divided_by(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%k, %j) : f64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %B[%k, %j] : tensor<?x?xf64>
      %p = algebra.apply div(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Sums of this function keep their order; the least of its numbers would be the same in any.
// CHECK-LABEL: func.func @in_order
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @in_order(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> attributes {algebra.keeps_order} {
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

// A sparse result has an entry where a term has one.
#list = #storage.format<(i) -> (i : compressed)>
// CHECK-LABEL: func.func @sparse_result
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @sparse_result(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64, #list> {
  %y = index_notation.assign (%i) : tensor<?xf64, #list> {
    %s = index_notation.reduce add (%k, %j) : f64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %B[%k, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

// A product is rounded to its type before it becomes a number of another one.
// CHECK-LABEL: func.func @converted
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @converted(%A: tensor<?x?xi8>, %B: tensor<?x?xi8>) -> tensor<?xi64> {
  %y = index_notation.assign (%i) : tensor<?xi64> {
    %s = index_notation.reduce add (%k, %j) : i64 {
      %a = index_notation.access %A[%i, %k] : tensor<?x?xi8>
      %b = index_notation.access %B[%k, %j] : tensor<?x?xi8>
      %p = algebra.apply mul(%a, %b) : (i8, i8) -> i8
      %q = algebra.cast %p : i8 to i64
      index_notation.yield %q : i64
    }
    index_notation.yield %s : i64
  }
  func.return %y : tensor<?xi64>
}

// -----

// Indices of the sum connect all factors: in which order they are multiplied is for other rules.
// CHECK-LABEL: func.func @connected
// CHECK-COUNT-1: index_notation.reduce
// CHECK-NOT:     index_notation.reduce
func.func @connected(%A: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j, %k) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
      %b = index_notation.access %A[%k, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      %c = index_notation.access %x[%k] : tensor<?xf64>
      %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
      index_notation.yield %q : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
