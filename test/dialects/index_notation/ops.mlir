// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

algebra.operator @either(%a: f64, %b: f64) -> f64 attributes {associative, commutative, identity = 0.0 : f64} {
  %s = algebra.apply max(%a, %b) : (f64, f64) -> f64
  algebra.yield %s : f64
}

// CHECK-LABEL: func.func @statement
func.func @statement(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %alpha: tensor<f64>) -> tensor<?xf64> {
  // CHECK: %y = index_notation.assign (%i) : tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    // CHECK-NEXT: %s = index_notation.reduce add (%j, %k) : f64 {
    %s = index_notation.reduce add (%j, %k) : f64 {
      // CHECK-NEXT: %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      // CHECK-NEXT: %b = index_notation.access %x[%k] {reason = "twice"} : tensor<?xf64>
      %b = index_notation.access %x[%k] {reason = "twice"} : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      // CHECK: index_notation.yield %p : f64
      index_notation.yield %p : f64
    // CHECK-NEXT: }
    }
    // A user's operator is a symbol.
    // CHECK-NEXT: %m = index_notation.reduce @either (%j_1) : f64 {
    %m = index_notation.reduce @either (%j) : f64 {
      %a = index_notation.access %x[%j] : tensor<?xf64>
      index_notation.yield %a : f64
    // CHECK: } {note = "last"}
    } {note = "last"}
    // A scalar has no indices.
    // CHECK-NEXT: %f = index_notation.access %alpha[] : tensor<f64>
    %f = index_notation.access %alpha[] : tensor<f64>
    %0 = algebra.apply mul(%s, %f) : (f64, f64) -> f64
    %1 = algebra.apply add(%0, %m) : (f64, f64) -> f64
    index_notation.yield %1 : f64
  }
  // CHECK: %total = index_notation.assign () : tensor<f64> {
  %total = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce max (%i) : f64 {
      // CHECK: index_notation.access %y[%{{.*}}] : tensor<?xf64>
      %a = index_notation.access %y[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @coordinates
func.func @coordinates(%x: tensor<?xf64>, %v: tensor<?xi32>) -> tensor<?xf64> {
  %y = index_notation.assign (%i, %k) : tensor<?x?xf64> {
    // CHECK: %e = index_notation.affine 2 * %i - %k - 1 floordiv 3
    %e = index_notation.affine 2 * %i - %k - 1 floordiv 3
    // CHECK-NEXT: %c = index_notation.clamp %e, %x, 0 : tensor<?xf64>
    %c = index_notation.clamp %e, %x, 0 : tensor<?xf64>
    // CHECK-NEXT: %p = index_notation.is_inside %e, %x, 0 {note = "kept"} : tensor<?xf64>
    %p = index_notation.is_inside %e, %x, 0 {note = "kept"} : tensor<?xf64>
    %a = index_notation.access %x[%c] : tensor<?xf64>
    // CHECK: %g = index_notation.access %v[%i] : tensor<?xi32>
    %g = index_notation.access %v[%i] : tensor<?xi32>
    // CHECK-NEXT: %h = index_notation.affine -%g + 4 * %i : i32, index
    %h = index_notation.affine -%g + 4 * %i : i32, index
    // CHECK-NEXT: %w = index_notation.wrap %h, %x, 0 : tensor<?xf64>
    %w = index_notation.wrap %h, %x, 0 : tensor<?xf64>
    // CHECK-NEXT: %n = index_notation.affine -3
    %n = index_notation.affine 1 - 4
    %m = index_notation.clamp %n, %x, 0 : tensor<?xf64>
    %b = index_notation.access %x[%w] : tensor<?xf64>
    %d = index_notation.access %x[%m] : tensor<?xf64>
    %q = algebra.apply where(%p, %a, %b) : (i1, f64, f64) -> f64
    %s = algebra.apply add(%q, %d) : (f64, f64) -> f64
    index_notation.yield %s : f64
  }
  %z = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return %z : tensor<?xf64>
}
