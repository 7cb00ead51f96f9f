// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

// Formats are checked where they are written: the message is that of irtensor.Format.
// expected-error @+1 {{[bad-format]}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : sparse)>>)

// -----

// expected-error @+1 {{[bad-format]}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, i : compressed)>>)

// -----

// A singleton continues the entries of the level above it.
// expected-error @+1 {{[bad-format]}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i : bitmap, j : singleton)>>)

// -----

// expected-error @+1 {{[bad-format]}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense(nonunique), j : compressed)>>)

// -----

// expected-error @+1 {{[bad-format]}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i mod 2 : dense, j : dense, i floordiv 2 : dense)>>)

// -----

// expected-error @+1 {{[bad-format] 'i12' is not an index width}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed(crd = i12))>>)

// -----

// expected-error @+1 {{[bad-format] a dense level has no coordinates, so that crd has no width}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense(crd = i8), j : compressed)>>)

// -----

// expected-error @+1 {{[bad-format] symmetric(i): two or more different dimensions are symmetric}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed), symmetric(i)>>)

// -----

// expected-error @+1 {{[bad-format] level 0 (j - i : compressed) stores a part of a coordinate, and symmetric(i, j) needs whole ones}}
func.func private @f(tensor<?x?xf64, #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset), symmetric>>)

// -----

// expected-error @+1 {{a fiber is a part of a tensor}}
func.func private @f(!storage.fiber<f64, 0>)

// -----

// expected-error @+1 {{fiber level 3 is outside 0..2}}
func.func private @f(!storage.fiber<tensor<?x?xf64>, 3>)

// -----

func.func @root(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{the root fiber has the tensor's type and level 0}}
  %0 = "storage.root"(%A) : (tensor<?x?xf64>) -> !storage.fiber<tensor<?x?xf64>, 1>
  func.return
}

// -----

func.func @fiber_of_other(%A: tensor<?x?xf64>, %p: index) {
  // expected-error @+1 {{a fiber of tensor<?x?xf64> cannot have type !storage.fiber<tensor<?x?xf32>, 1>}}
  %0 = storage.fiber %A[%p to %p] : tensor<?x?xf64> -> !storage.fiber<tensor<?x?xf32>, 1>
  func.return
}

// -----

func.func @fiber_at_root(%A: tensor<?x?xf64>, %p: index) {
  // expected-error @+1 {{the fiber at level 0 is the root; level 1 is the first below positions}}
  %0 = storage.fiber %A[%p to %p] : tensor<?x?xf64> -> !storage.fiber<tensor<?x?xf64>, 0>
  func.return
}

// -----

func.func @path(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : triangle)>>, %p: index) {
  // expected-error @+1 {{positions of this fiber depend on 1 coordinates, not 0}}
  %0 = storage.fiber %A[%p to %p] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : triangle)>> -> !storage.fiber<tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : triangle)>>, 1>
  func.return
}

// -----

func.func @dimension(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{the tensor has 2 dimensions, so no dimension 2}}
  %0 = storage.dim %A, 2 : tensor<?x?xf64>
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @positions_of_dense(%A: tensor<?x?xf64, #csr>) {
  // expected-error @+1 {{level 0 (i : dense) has no positions}}
  %0 = storage.array positions %A, 0 : tensor<?x?xf64, #csr>
  func.return
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
func.func @positions_of_singleton(%A: tensor<?x?xf64, #coo>) {
  // expected-error @+1 {{level 1 (j : singleton) has no positions}}
  %0 = storage.array positions %A, 1 : tensor<?x?xf64, #coo>
  func.return
}

// -----

func.func @coordinates_of_dense(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{level 1 (j : dense) has no coordinates}}
  %0 = storage.array coordinates %A, 1 : tensor<?x?xf64>
  func.return
}

// -----

func.func @level_below_zero(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{the tensor has 2 levels, so no level -1}}
  %0 = "storage.array"(%A) <{array = "coordinates", level = -1 : i64}> : (tensor<?x?xf64>) -> !loop.buffer<i64>
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @other_elements(%A: tensor<?x?xf64, #csr>) {
  // expected-error @+1 {{positions are !loop.buffer<i64>, not !loop.buffer<f32>}}
  %0 = "storage.array"(%A) <{array = "positions", level = 1 : i64}> : (tensor<?x?xf64, #csr>) -> !loop.buffer<f32>
  func.return
}

// -----

func.func @values_as_an_array(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{the values of a tensor are read by storage.values}}
  %0 = "storage.array"(%A) <{array = "values", level = 2 : i64}> : (tensor<?x?xf64>) -> !loop.buffer<f64>
  func.return
}

// -----

func.func @no_such_level(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{the tensor has 2 levels, so no level 5}}
  %0 = storage.array coordinates %A, 5 : tensor<?x?xf64>
  func.return
}

// -----

func.func @values(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{values are !loop.buffer<f64>, not !loop.buffer<f32>}}
  %0 = storage.values %A : tensor<?x?xf64> -> !loop.buffer<f32>
  func.return
}

// -----

func.func @initial() {
  // expected-error @+1 {{initial value 1 : i32 is not of type f64}}
  %0 = storage.result initialize initial 1 : i32 : tensor<?xf64>
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @kind() {
  // expected-error @+1 {{unknown purpose 'count'; purposes are assemble and compute}}
  %0 = storage.result purpose "count" : tensor<?x?xf64, #csr>
  func.return
}

// -----

func.func @dense_kind() {
  // expected-error @+1 {{a dense result has no index arrays, so it is always computed as a whole}}
  %0 = storage.result purpose "assemble" : tensor<?x?xf64>
  func.return
}

// -----

func.func @unknown_array(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{unknown array 'indices'; arrays are positions, coordinates, flags, begins, ends, offsets, slots, values}}
  %0 = storage.growable indices 0 of %A : tensor<?x?xf64> -> !loop.growable<f64>
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @growing_values(%A: tensor<?x?xf64, #csr>) {
  // expected-error @+1 {{values lie below all 2 levels, not at level 1}}
  %0 = storage.growable values 1 of %A : tensor<?x?xf64, #csr> -> !loop.growable<f64>
  func.return
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed(crd = i8), j : compressed)>
func.func @growing_coordinates_of_a_level(%A: tensor<?x?xf64, #dcsr>) {
  // expected-error @+1 {{coordinates grow as !loop.growable<i8>, not !loop.growable<i64>}}
  %0 = storage.growable coordinates 0 of %A : tensor<?x?xf64, #dcsr> -> !loop.growable<i64>
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed), crd = i32>
func.func @growing_coordinates(%A: tensor<?x?xf64, #csr>) {
  // expected-error @+1 {{coordinates grow as !loop.growable<i32>, not !loop.growable<i64>}}
  %0 = storage.growable coordinates 1 of %A : tensor<?x?xf64, #csr> -> !loop.growable<i64>
  func.return
}

// -----

// expected-error @+1 {{a format of 2 dimensions cannot store a tensor of 1}}
func.func private @f(!storage.fiber<tensor<?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, 0>)

// -----

// expected-error @+1 {{elements of type i7 are not supported; supported are i1, i8,}}
func.func private @f(!storage.fiber<tensor<?xi7>, 0>)

// -----

func.func @no_tensor(%A: vector<4xf64>) {
  // expected-error @+1 {{only tensors are stored}}
  %0 = storage.array positions %A, 0 : vector<4xf64>
  func.return
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
func.func @f(%n: index) {
  // expected-error @+1 {{level 0 (i : compressed) is not written in any order}}
  %w = storage.workspace(%n) : tensor<?xf64, #list>
  func.return
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
func.func @f(%n: index) {
  // expected-error @+1 {{level 0 (i : hashed) is not written; compute it as (i) -> (i : compressed(nonordered)), and convert that}}
  %w = storage.workspace(%n) : tensor<?xf64, #table>
  func.return
}

// -----

#slots = #storage.format<(i, j) -> (i : dense, j : padded)>
func.func @f() {
  // expected-error @+1 {{level 1 (j : padded) is not written; compute it as (i, j) -> (i : dense, j : compressed), and convert that}}
  %r = storage.result : tensor<?x?xf64, #slots>
  func.return
}

// -----

func.func @no_tensor(%A: vector<4xf64>) {
  // expected-error @+1 {{only tensors are stored}}
  %0 = storage.root %A : vector<4xf64>
  func.return
}

// -----

#row = #storage.format<(i) -> (i : accumulator)>
func.func @f(%n: index) {
  // expected-error @+1 {{the workspace has 1 dimensions, but 2 extents are given}}
  %w = storage.workspace(%n, %n) : tensor<?xf64, #row>
  func.return
}

// -----

func.func @f(%t: tensor<?xf64>) {
  // expected-error @+1 {{level 0 (i : dense) does not keep a set of its entries}}
  %set = storage.index_set 0 of %t : tensor<?xf64>
  func.return
}

// -----

#row = #storage.format<(i) -> (i : accumulator)>
func.func @f(%t: tensor<?xf64, #row>) {
  // expected-error @+1 {{the tensor has 1 levels, so no level 1}}
  %n = storage.stored 1 of %t : tensor<?xf64, #row>
  func.return
}

// -----

#row = #storage.format<(i) -> (i : accumulator)>
func.func @f(%t: tensor<?xf64, #row>) {
  // expected-error @+1 {{level 0 (i : accumulator) does not map coordinates to positions}}
  %map = storage.index_map 0 of %t : tensor<?xf64, #row>
  func.return
}

// -----

#row = #storage.format<(i) -> (i : map)>
func.func @f(%t: tensor<?xf64, #row>) {
  // expected-error @+1 {{the tensor has 1 levels, so no level 1}}
  %map = storage.index_map 1 of %t : tensor<?xf64, #row>
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @f(%A: tensor<?x?xf64, #csr>) {
  // expected-error @+1 {{levels 0 to 1 are not two or more dense levels}}
  %B = storage.merge_levels %A from 0 count 2 : tensor<?x?xf64, #csr> -> tensor<?xf64>
  func.return
}

// -----

func.func @f(%A: tensor<?x?xf64>) {
  // expected-error @+1 {{levels 1 to 2 are not two or more dense levels}}
  %B = storage.merge_levels %A from 1 count 2 : tensor<?x?xf64> -> tensor<?xf64>
  func.return
}

// -----

func.func @f(%A: tensor<2x3xf64>) {
  // expected-error @+1 {{with 2 levels from level 0 as one it is tensor<6xf64>, not tensor<5xf64>}}
  %B = storage.merge_levels %A from 0 count 2 : tensor<2x3xf64> -> tensor<5xf64>
  func.return
}

// -----

func.func @f(%A: tensor<6xf64>) {
  // expected-error @+1 {{with 2 levels from level 0 as one it is tensor<?xf64>, not tensor<6xf64>}}
  %B = storage.split_level %A from 0 count 2 : tensor<6xf64> -> tensor<2x?xf64>
  func.return
}
