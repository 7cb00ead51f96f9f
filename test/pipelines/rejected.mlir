// Kernels that no order of loops computes, and what is done about it.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | filecheck %s
// RUN: not irtensor-opt %s --split-input-file -p concretize,choose-loop-order 2>&1 >%t.output | filecheck %s --check-prefix=BARE

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K17: SpMV plus vector over a column-major B would have to traverse B from below. The product is added to the vector instead.
// CHECK-LABEL: func.func @k17_bottom_up
// CHECK-NOT: loop.scratch
// CHECK: loop.for %i
// CHECK: %[[D:.*]] = loop.load %d_vals[%i]
// CHECK: loop.store %[[D]], %a_vals[%i]
// CHECK: loop.for %j
// CHECK: loop.for %p
// CHECK: loop.store %{{.*}}, %a_vals[
// CHECK-NOT: loop.for
// CHECK: func.return
// Without expand-temporaries it is refused.
// BARE: error: [loop-order-cycle]
func.func @k17_bottom_up(%B: tensor<?x?xf64, #csc>, %c: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %a = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #csc>
      %v = index_notation.access %c[%j] : tensor<?xf64>
      %p = algebra.apply mul(%b, %v) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    %w = index_notation.access %d[%i] : tensor<?xf64>
    %r = algebra.apply add(%s, %w) : (f64, f64) -> f64
    index_notation.yield %r : f64
  }
  func.return %a : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K9: sparse times sparse scatters into a row that can only be appended to (pitfall P7): a workspace collects the row.
// CHECK-LABEL: func.func @spgemm
// CHECK: loop.for %i
// CHECK: loop.insert %{{.*}} into %[[SET:.*]]
// CHECK: loop.members %[[SET]]
// BARE: error: [output-needs-workspace]
func.func @spgemm(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
    %s = index_notation.reduce add (%k) : f64 {
      %b = index_notation.access %B[%i, %k] : tensor<?x?xf64, #csr>
      %c = index_notation.access %C[%k, %j] : tensor<?x?xf64, #csr>
      %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %A : tensor<?x?xf64, #csr>
}
