// RUN: irtensor-opt %s --split-input-file -p lower-storage | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed), crd = i32>
// Operands first, then results; arrays whose length is known beforehand are buffers, the others can grow.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %A_n0: index, %A_n1: index, %A_pos1: !loop.buffer<i64>, %A_crd1: !loop.buffer<i32>, %A_vals: !loop.buffer<f64>, %x_n0: index, %x_vals: !loop.buffer<f64>,
// CHECK-SAME: %C_n0: index, %C_n1: index, %C_pos1: !loop.buffer<i64>, %C_crd1: !loop.growable<i32>, %C_vals: !loop.growable<f64>
// CHECK-NEXT: "test.op"(%A_n1, %A_pos1, %A_crd1, %x_vals, %C_pos1, %C_vals) : (index, !loop.buffer<i64>, !loop.buffer<i32>, !loop.buffer<f64>, !loop.buffer<i64>, !loop.growable<f64>) -> ()
// CHECK-NEXT: func.return
func.func @kernel(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  %C = storage.result : tensor<?x?xf64, #csr>
  %n = storage.dim %A, 1 : tensor<?x?xf64, #csr>
  %pos = storage.positions %A, 1 : tensor<?x?xf64, #csr>
  %crd = storage.coordinates %A, 1 : tensor<?x?xf64, #csr>
  %vals = storage.values %x : tensor<?xf64> -> !loop.buffer<f64>
  %out = storage.positions %C, 1 : tensor<?x?xf64, #csr>
  %grow = storage.growable values 2 of %C : tensor<?x?xf64, #csr> -> !loop.growable<f64>
  "test.op"(%n, %pos, %crd, %vals, %out, %grow) : (index, !loop.buffer<i64>, !loop.buffer<i32>, !loop.buffer<f64>, !loop.buffer<i64>, !loop.growable<f64>) -> ()
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#columns = #storage.format<(i, j) -> (j : dense, i : dense)>
// Buffers of dense operands say which arguments are their extents, the outermost first.
// CHECK-LABEL: func.func @matrices
// CHECK-SAME: %A_vals: !loop.buffer<f64> {loop.extents = array<i64: 0, 1>}, %B_n0: index, %B_n1: index, %B_vals: !loop.buffer<f64> {loop.extents = array<i64: 4, 3>}
func.func @matrices(%A: tensor<?x?xf64>, %B: tensor<?x?xf64, #columns>) {
  func.return
}
