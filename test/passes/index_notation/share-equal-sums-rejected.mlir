// RUN: irtensor-opt %s --split-input-file -p share-equal-sums | filecheck %s

// Other operands, indices, operators, and orders of what does not commute.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-6: index_notation.reduce
func.func @different(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>) -> tensor<?xf64> {
  %z = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %t = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%k, %i] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %u = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %y[%i, %k] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %v = index_notation.reduce max (%k) : f64 {
      %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %w = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %y[%i, %k] : tensor<?x?xf64>
      %p = algebra.apply sub(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %o = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
      %b = index_notation.access %y[%i, %k] : tensor<?x?xf64>
      %p = algebra.apply sub(%b, %a) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %1 = algebra.apply add(%s, %t) : (f64, f64) -> f64
    %2 = algebra.apply add(%u, %v) : (f64, f64) -> f64
    %3 = algebra.apply add(%w, %o) : (f64, f64) -> f64
    %4 = algebra.apply add(%1, %2) : (f64, f64) -> f64
    %q = algebra.apply add(%3, %4) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %z : tensor<?xf64>
}

// -----

// Neither of two reductions stands where the other one is known.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: index_notation.reduce
func.func @apart(%x: tensor<?x?xf64>) -> tensor<f64> {
  %z = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      %t = index_notation.reduce max (%k) : f64 {
        %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
        index_notation.yield %a : f64
      }
      index_notation.yield %t : f64
    }
    %m = index_notation.reduce max (%i) : f64 {
      %t = index_notation.reduce max (%k) : f64 {
        %a = index_notation.access %x[%i, %k] : tensor<?x?xf64>
        index_notation.yield %a : f64
      }
      index_notation.yield %t : f64
    }
    %q = algebra.apply div(%s, %m) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %z : tensor<f64>
}

// -----

// Other functions of the same operands, and other numbers.
// CHECK-LABEL: func.func @other_bodies
// CHECK-COUNT-4: index_notation.reduce
func.func @other_bodies(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<f64> {
  %z = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%k] : tensor<?xf64>
      %b = index_notation.access %y[%k] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %t = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%k] : tensor<?xf64>
      %b = index_notation.access %y[%k] : tensor<?xf64>
      %p = algebra.apply add(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %u = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%k] : tensor<?xf64>
      %b = algebra.constant 1.0 : f64
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %v = index_notation.reduce add (%k) : f64 {
      %a = index_notation.access %x[%k] : tensor<?xf64>
      %b = algebra.constant 2.0 : f64
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %1 = algebra.apply add(%s, %t) : (f64, f64) -> f64
    %2 = algebra.apply add(%u, %v) : (f64, f64) -> f64
    %q = algebra.apply add(%1, %2) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %z : tensor<f64>
}
