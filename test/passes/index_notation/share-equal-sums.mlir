// RUN: irtensor-opt %s --split-input-file -p share-equal-sums | filecheck %s

// Names of index variables, and the order of factors, make no difference.
// CHECK-LABEL: func.func @twice
// CHECK:      %s = index_notation.reduce add (%k)
// CHECK-NOT:  index_notation.reduce
// CHECK:      algebra.apply div(%s, %s)
func.func @twice(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>) -> tensor<?xf64> {
  %z = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %y[%i, %k] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %t = index_notation.reduce add (%l) : f64 {
      %b = index_notation.access %y[%i, %l] : tensor<?x?xf64>
      %a = index_notation.access %x[%i, %l] : tensor<?x?xf64>
      %p = algebra.apply mul(%b, %a) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %q = algebra.apply div(%s, %t) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %z : tensor<?xf64>
}

// -----

// A sum is used inside of another reduction that stands behind it.
// CHECK-LABEL: func.func @inside
// CHECK:      %s = index_notation.reduce add (%k)
// CHECK:      %t = index_notation.reduce add (%j)
// CHECK-NOT:  index_notation.reduce
// CHECK:      algebra.apply mul({{%.*}}, %s)
func.func @inside(%x: tensor<?x?xf64>) -> tensor<?xf64> {
  %z = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %t = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %x[%i, %j] : tensor<?x?xf64>
      %u = index_notation.reduce add (%l) : f64 {
        %b = index_notation.access %x[%i, %l] : tensor<?x?xf64>
        index_notation.yield %b : f64
      }
      %p = algebra.apply mul(%a, %u) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %q = algebra.apply add(%s, %t) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %z : tensor<?xf64>
}

// -----

// The sum around the second place binds the name of what is shared, which takes another one.
// CHECK-LABEL: func.func @named_apart
// CHECK:      %s = index_notation.reduce max (%m)
// CHECK-NEXT: index_notation.access %x[%i, %m]
// CHECK:      index_notation.reduce add (%l)
// CHECK-NOT:  index_notation.reduce
// CHECK:      algebra.apply sub({{%.*}}, %s)
func.func @named_apart(%x: tensor<?x?xf64>) -> tensor<?xf64> {
  %z = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce max (%l) : f64 {
      %a = index_notation.access %x[%i, %l] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %t = index_notation.reduce add (%l) : f64 {
      %a = index_notation.access %x[%i, %l] : tensor<?x?xf64>
      %u = index_notation.reduce max (%m) : f64 {
        %b = index_notation.access %x[%i, %m] : tensor<?x?xf64>
        index_notation.yield %b : f64
      }
      %p = algebra.apply sub(%a, %u) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %q = algebra.apply add(%s, %t) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %z : tensor<?xf64>
}

// -----

// Reductions over several indices, whose names are the other way round.
// CHECK-LABEL: func.func @two_indices
// CHECK:      index_notation.reduce add (%k, %l)
// CHECK-NOT:  index_notation.reduce
// CHECK:      index_notation.yield
func.func @two_indices(%x: tensor<?x?xf64>) -> tensor<f64> {
  %z = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%k, %l) : f64 {
      %a = index_notation.access %x[%k, %l] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %t = index_notation.reduce add (%l, %k) : f64 {
      %a = index_notation.access %x[%l, %k] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %q = algebra.apply sub(%s, %t) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %z : tensor<f64>
}
