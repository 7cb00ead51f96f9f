// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

// CHECK: func.func private @csr(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>)
func.func private @csr(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>)
// The names of the dimensions do not matter, and are printed alike.
// CHECK: @csc(tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>)
func.func private @csc(tensor<?x?xf64, #storage.format<(row, column) -> (column : dense, row : compressed)>>)
// Levels in the order of the dimensions need no map.
// CHECK: @symmetric(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed), symmetric, fill = 1>>, tensor<?x?x?xf64, #storage.format<(i, j, k) -> (j : dense, i : compressed, k : compressed), symmetric(i, k), crd = i32>>)
func.func private @symmetric(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed), fill = 1, symmetric(j, i)>>, tensor<?x?x?xf64, #storage.format<(a, b, c) -> (b : dense, a : compressed, c : compressed), symmetric(a, c), crd = i32>>)

// CHECK: @csf(tensor<?x?x?xf64, #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>>)
func.func private @csf(tensor<?x?x?xf64, #storage.format<compressed, compressed, compressed>>)
// CHECK: @coo(tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>>)
func.func private @coo(tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>>)
// CHECK: @bcsr(tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 4 : compressed, i mod 2 : dense, j mod 4 : dense)>>)
func.func private @bcsr(tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 4 : compressed, i mod 2 : dense, j mod 4 : dense)>>)
// CHECK: @fill(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed), fill = inf>>)
func.func private @fill(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed), fill = inf>>)
// CHECK: @widths(tensor<?x?xi8, #storage.format<(i, j) -> (i : dense, j : compressed), fill = -1, pos = i32, crd = i32>>)
func.func private @widths(tensor<?x?xi8, #storage.format<(i, j) -> (i : dense, j : compressed), fill = -1, pos = i32, crd = i32>>)
// Widths may be those of a level; a format has those of the widest.
// CHECK: @widths_of_levels(tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(nonunique, crd = i8), j : singleton), pos = i16, crd = i32>>)
func.func private @widths_of_levels(tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(pos = i16, crd = i8, nonunique), j : singleton(crd = i32))>>)
// CHECK: @properties(tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(nonunique, nonordered), j : singleton(nonunique))>>)
func.func private @properties(tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed(nonunique, nonordered), j : singleton(nonunique))>>)

#csr = #storage.format<(i, j) -> (i : dense, j : compressed), pos = i32>

// CHECK-LABEL: func.func @fibers
func.func @fibers(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %s: tensor<f64>, %p: index, %q: index, %c: i1) {
  // CHECK: %root = storage.root %A : tensor<?x?xf64, #storage.format<
  %root = storage.root %A : tensor<?x?xf64, #csr>
  // CHECK: storage.root %x : tensor<?xf64>
  %vector = storage.root %x : tensor<?xf64>
  // CHECK: storage.root %s : tensor<f64>
  %scalar = storage.root %s : tensor<f64>
  // CHECK: %row = storage.fiber %A[%p to %q] : tensor<{{.*}}> -> !storage.fiber<tensor<?x?xf64, #storage.format<{{.*}}>>, 1>
  %row = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  // CHECK: %none = storage.fill_fiber : !storage.fiber<tensor<{{.*}}>, 1>
  %none = storage.fill_fiber : !storage.fiber<tensor<?x?xf64, #csr>, 1>
  // CHECK: %maybe = storage.optional_fiber %c, %row : !storage.fiber<tensor<{{.*}}>, 1> -> !storage.fiber<tensor<{{.*}}>, 1>
  %maybe = storage.optional_fiber %c, %row : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  // CHECK: "test.op"(%root) : (!storage.fiber<tensor<{{.*}}>, 0>) -> ()
  "test.op"(%root) : (!storage.fiber<tensor<?x?xf64, #csr>, 0>) -> ()
  func.return
}

// CHECK-LABEL: func.func @arrays
func.func @arrays(%A: tensor<?x?xf64, #csr>) {
  // CHECK: %n = storage.dim %A, 1 : tensor<
  %n = storage.dim %A, 1 : tensor<?x?xf64, #csr>
  // CHECK: %pos = storage.array positions %A, 1 : tensor<
  %pos = storage.array positions %A, 1 : tensor<?x?xf64, #csr>
  // CHECK: %crd = storage.array coordinates %A, 1 : tensor<
  %crd = storage.array coordinates %A, 1 : tensor<?x?xf64, #csr>
  // CHECK: %vals = storage.values %A : tensor<{{.*}}> -> !loop.buffer<f64>
  %vals = storage.values %A : tensor<?x?xf64, #csr> -> !loop.buffer<f64>
  // Widths follow from the format.
  // CHECK: "test.op"(%n, %pos, %crd) : (index, !loop.buffer<i32>, !loop.buffer<i64>) -> ()
  "test.op"(%n, %pos, %crd) : (index, !loop.buffer<i32>, !loop.buffer<i64>) -> ()
  func.return
}

#flagged = #storage.format<(i, j) -> (i : compressed, j : bitmap)>

// CHECK-LABEL: func.func @flags
func.func @flags(%A: tensor<?x?xf64, #flagged>) {
  // CHECK: %flags = storage.array flags %A, 1 : tensor<
  %flags = storage.array flags %A, 1 : tensor<?x?xf64, #flagged>
  // CHECK: "test.op"(%flags) : (!loop.buffer<i1>) -> ()
  "test.op"(%flags) : (!loop.buffer<i1>) -> ()
  func.return
}

// CHECK-LABEL: func.func @results
func.func @results() {
  // CHECK: %C = storage.result : tensor<
  %C = storage.result : tensor<?x?xf64, #csr>
  // CHECK: storage.result purpose "assemble" counted : tensor<
  %counted = storage.result purpose "assemble" counted : tensor<?x?xf64, #csr>
  // CHECK: storage.result purpose "compute" initialize : tensor<
  %D = storage.result purpose "compute" initialize : tensor<?x?xf64, #csr>
  // CHECK: storage.result initialize : tensor<?xf64>
  %y = storage.result initialize : tensor<?xf64>
  // CHECK: storage.result initialize initial 1.000000e+00 : f64 : tensor<?xf64>
  %z = storage.result initialize initial 1.0 : f64 : tensor<?xf64>
  // CHECK: storage.growable coordinates 1 of %C : tensor<{{.*}}> -> !loop.growable<i64>
  %crd = storage.growable coordinates 1 of %C : tensor<?x?xf64, #csr> -> !loop.growable<i64>
  // CHECK: storage.growable values 2 of %C : tensor<{{.*}}> -> !loop.growable<f64>
  %vals = storage.growable values 2 of %C : tensor<?x?xf64, #csr> -> !loop.growable<f64>
  // CHECK: storage.merge_levels %{{.*}} from 0 count 2 : tensor<2x3x?xf64> -> tensor<6x?xf64>
  %D2 = "test.op"() : () -> tensor<2x3x?xf64>
  %merged = storage.merge_levels %D2 from 0 count 2 : tensor<2x3x?xf64> -> tensor<6x?xf64>
  // CHECK: storage.split_level %{{.*}} from 0 count 2 : tensor<6x?xf64> -> tensor<2x3x?xf64>
  %split = storage.split_level %merged from 0 count 2 : tensor<6x?xf64> -> tensor<2x3x?xf64>
  func.return
}
