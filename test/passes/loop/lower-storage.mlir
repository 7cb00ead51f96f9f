// RUN: irtensor-opt %s --split-input-file -p lower-storage | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed), crd = i32>
// Operands first, then results; arrays whose length is known beforehand are buffers, the others can grow.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %A_n0: index, %A_n1: index, %A_pos1: !loop.buffer<i64>, %A_crd1: !loop.buffer<i32>, %A_vals: !loop.buffer<f64>, %x_n0: index, %x_vals: !loop.buffer<f64> {loop.extents = array<i64: 5>},
// CHECK-SAME: %C_n0: index, %C_n1: index, %C_pos1: !loop.buffer<i64>, %C_crd1: !loop.growable<i32>, %C_vals: !loop.growable<f64>
// CHECK-NEXT: "test.op"(%A_n1, %A_pos1, %A_crd1, %x_vals, %C_pos1, %C_vals) : (index, !loop.buffer<i64>, !loop.buffer<i32>, !loop.buffer<f64>, !loop.buffer<i64>, !loop.growable<f64>) -> ()
// CHECK-NEXT: func.return
func.func @kernel(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  %C = storage.result : tensor<?x?xf64, #csr>
  %n = storage.dim %A, 1 : tensor<?x?xf64, #csr>
  %pos = storage.array positions %A, 1 : tensor<?x?xf64, #csr>
  %crd = storage.array coordinates %A, 1 : tensor<?x?xf64, #csr>
  %vals = storage.values %x : tensor<?xf64> -> !loop.buffer<f64>
  %out = storage.array positions %C, 1 : tensor<?x?xf64, #csr>
  %grow = storage.growable values 2 of %C : tensor<?x?xf64, #csr> -> !loop.growable<f64>
  "test.op"(%n, %pos, %crd, %vals, %out, %grow) : (index, !loop.buffer<i64>, !loop.buffer<i32>, !loop.buffer<f64>, !loop.buffer<i64>, !loop.growable<f64>) -> ()
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#lists = #storage.format<(i, j) -> (i : compressed(crd = i8), j : compressed(pos = i16)), pos = i32>
// Each level has integers of its own.
// CHECK-LABEL: func.func @widths
// CHECK-SAME: %A_pos0: !loop.buffer<i32>, %A_crd0: !loop.buffer<i8>, %A_pos1: !loop.buffer<i16>, %A_crd1: !loop.buffer<i64>, %A_vals: !loop.buffer<f64>
func.func @widths(%A: tensor<?x?xf64, #lists>) {
  %crd = storage.array coordinates %A, 0 : tensor<?x?xf64, #lists>
  %pos = storage.array positions %A, 1 : tensor<?x?xf64, #lists>
  "test.op"(%crd, %pos) : (!loop.buffer<i8>, !loop.buffer<i16>) -> ()
  func.return
}

// -----

#columns = #storage.format<(i, j) -> (j : dense, i : dense)>
// Buffers of dense operands say which arguments are their extents, the outermost first.
// CHECK-LABEL: func.func @matrices
// CHECK-SAME: %A_vals: !loop.buffer<f64> {loop.extents = array<i64: 0, 1>}, %B_n0: index, %B_n1: index, %B_vals: !loop.buffer<f64> {loop.extents = array<i64: 4, 3>}
func.func @matrices(%A: tensor<?x?xf64>, %B: tensor<?x?xf64, #columns>) {
  func.return
}

// -----

#row = #storage.format<(i, j) -> (i : accumulator, j : dense)>
// A workspace gets memory where it is defined: a set of what is stored, room to list it, and a value per position. Extents
// whose product is no index ask for more than there is, not for less.
// CHECK-LABEL: func.func @accumulator
// CHECK:      %[[SET:.*]] = loop.index_set %n
// CHECK:      %[[LIST:.*]] = loop.scratch : i64
// CHECK:      loop.reserve %[[LIST]], %{{.*}} : i64
// CHECK:      %[[MEMBERS:.*]] = loop.data %[[LIST]] : i64
// CHECK:      %[[PAIRS:.*]] = arith.muli %n, %m
// CHECK:      %[[MOST:.*]] = arith.constant 72057594037927936 : index
// CHECK:      %[[LIMIT:.*]] = arith.divsi %[[MOST]]
// CHECK:      %[[OVER:.*]] = arith.cmpi sgt, %n, %[[LIMIT]] : index
// CHECK:      %[[SIZE:.*]] = arith.select %[[OVER]], %[[MOST]], %[[PAIRS]] : index
// CHECK:      %[[SCRATCH:.*]] = loop.scratch : f64
// CHECK:      %[[ROOM:.*]] = arith.maxsi %[[SIZE]]
// CHECK:      loop.reserve %[[SCRATCH]], %[[ROOM]] : f64
// CHECK:      %[[VALUES:.*]] = loop.data %[[SCRATCH]] : f64
// CHECK:      "test.op"(%[[SET]], %[[MEMBERS]], %[[VALUES]], %m)
func.func @accumulator(%n: index, %m: index) {
  %w = storage.workspace(%n, %m) : tensor<?x?xf64, #row>
  %set = storage.index_set 0 of %w : tensor<?x?xf64, #row>
  %crd = storage.array coordinates %w, 0 : tensor<?x?xf64, #row>
  %vals = storage.values %w : tensor<?x?xf64, #row> -> !loop.buffer<f64>
  %extent = storage.dim %w, 1 : tensor<?x?xf64, #row>
  "test.op"(%set, %crd, %vals, %extent) : (!loop.index_set, !loop.buffer<i64>, !loop.buffer<f64>, index) -> ()
  func.return
}

// -----

#table = #storage.format<(i) -> (i : map)>
// Below a map nothing is as large as an extent: arrays grow, and what reads them asks for their present storage.
// CHECK-LABEL: func.func @map
// CHECK:      %[[MAP:.*]] = loop.index_map
// CHECK:      %[[CRD:.*]] = loop.scratch : i64
// CHECK:      %[[VALUES:.*]] = loop.scratch : f64
// CHECK-NOT:  loop.reserve
// CHECK:      "test.op"(%[[MAP]], %[[VALUES]])
// CHECK:      %[[DATA:.*]] = loop.data %[[VALUES]] : f64
// CHECK:      "test.op"(%[[DATA]])
func.func @map(%n: index) {
  %w = storage.workspace(%n) : tensor<?xf64, #table>
  %map = storage.index_map 0 of %w : tensor<?xf64, #table>
  %grow = storage.growable values 1 of %w : tensor<?xf64, #table> -> !loop.growable<f64>
  "test.op"(%map, %grow) : (!loop.index_map, !loop.growable<f64>) -> ()
  %vals = storage.values %w : tensor<?xf64, #table> -> !loop.buffer<f64>
  "test.op"(%vals) : (!loop.buffer<f64>) -> ()
  func.return
}

// -----

#flagged = #storage.format<(i, j) -> (i : map, j : bitmap)>
// Nor are flags below a map.
// CHECK-LABEL: func.func @flags
// CHECK:      loop.index_map
// CHECK:      %[[FLAGS:.*]] = loop.scratch : i1
// CHECK-NOT:  loop.reserve
// CHECK:      "test.op"(%[[FLAGS]])
// CHECK:      %[[DATA:.*]] = loop.data %[[FLAGS]] : i1
// CHECK:      "test.op"(%[[DATA]])
func.func @flags(%n: index) {
  %w = storage.workspace(%n, %n) : tensor<?x?xf64, #flagged>
  %grow = storage.growable flags 1 of %w : tensor<?x?xf64, #flagged> -> !loop.growable<i1>
  "test.op"(%grow) : (!loop.growable<i1>) -> ()
  %flags = storage.array flags %w, 1 : tensor<?x?xf64, #flagged>
  "test.op"(%flags) : (!loop.buffer<i1>) -> ()
  func.return
}

// -----

#pairs = #storage.format<(i, j) -> (i : map, j : map)>
// Maps say which level of which workspace they are, if it is known which indices the levels are over.
// CHECK-LABEL: func.func @levels
// CHECK: %w_1 = loop.index_map {level = "level 0 of 'w' (over k)"}
// CHECK: loop.index_map {level = "level 1 of 'w' (over i)"}
func.func @levels(%n: index) {
  %w = storage.workspace(%n, %n) : tensor<?x?xf64, #pairs> {indices = ["k", "i"]}
  %outer = storage.index_map 0 of %w : tensor<?x?xf64, #pairs>
  %inner = storage.index_map 1 of %w : tensor<?x?xf64, #pairs>
  "test.op"(%outer, %inner) : (!loop.index_map, !loop.index_map) -> ()
  func.return
}
