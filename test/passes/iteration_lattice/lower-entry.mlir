// RUN: irtensor-opt %s -p lower-entry | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The position gives the coordinate; its parent is the last row whose segment begins there or before.
// CHECK-LABEL: func.func @entry
// CHECK:      [[EXISTS:%[0-9]+]] = arith.cmpi slt
// CHECK:      [[P:%[0-9]+]] = arith.select [[EXISTS]]
// CHECK:      [[CRD:%[0-9]+]] = storage.array coordinates %A, 1
// CHECK:      loop.load [[CRD]]{{\[}}[[P]]]
// CHECK:      [[POS:%[0-9]+]] = storage.array positions %A, 1
// CHECK:      loop.upper_bound [[POS]]{{.*}}, [[P]]
// CHECK:      %j = arith.select [[EXISTS]], {{%[0-9]+}}, %m : index
// CHECK:      arith.divsi
// CHECK:      %i = arith.select [[EXISTS]], {{%[0-9]+}}, %n : index
// CHECK:      func.return %i, %j
func.func @entry(%A: tensor<?x?xf64, #csr>, %k: index, %n: index, %m: index) -> (index, index) {
  %r = storage.root %A : tensor<?x?xf64, #csr>
  %i, %j = iteration_lattice.entry %r, %k past %n, %m : !storage.fiber<tensor<?x?xf64, #csr>, 0>
  func.return %i, %j : index, index
}

// The row is looked for between two others.
// CHECK-LABEL: func.func @between
// CHECK:      [[AFTER:%[0-9]+]] = arith.addi %last, {{%[0-9]+}} : index
// CHECK:      [[END:%[0-9]+]] = arith.minsi {{%[0-9]+}}, [[AFTER]] : index
// CHECK:      loop.upper_bound {{%[0-9]+}}[%first to [[END]]],
func.func @between(%A: tensor<?x?xf64, #csr>, %k: index, %n: index, %m: index, %first: index, %last: index) -> (index, index) {
  %r = storage.root %A : tensor<?x?xf64, #csr>
  %i, %j = iteration_lattice.entry %r, %k past %n, %m between %first, %last : !storage.fiber<tensor<?x?xf64, #csr>, 0>
  func.return %i, %j : index, index
}

// Entries of a row before a column are found by a search.
// CHECK-LABEL: func.func @before
// CHECK:      [[FOUND:%[0-9]+]] = loop.lower_bound {{.*}}, %k
// CHECK:      arith.subi [[FOUND]], {{.*}} : index
func.func @before(%A: tensor<?x?xf64, #csr>, %i: index, %after: index, %k: index) -> index {
  %f = storage.fiber %A[%i to %after] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %count = iteration_lattice.entry_count %f before %k levels 1 : !storage.fiber<tensor<?x?xf64, #csr>, 1>
  func.return %count : index
}

// Before two coordinates are the entries of the rows before, and those of the row itself: none if there is no such row.
// CHECK-LABEL: func.func @before_two
// CHECK:      [[AFTER:%[0-9]+]] = arith.addi %i, {{.*}} : index
// CHECK:      [[FIRST:%[0-9]+]] = arith.minsi [[ROWS:%[0-9]+]], {{.*}} : index
// CHECK:      [[NEXT:%[0-9]+]] = arith.minsi [[ROWS]], {{.*}} : index
// CHECK:      loop.load {{%[0-9]+}}{{\[}}[[FIRST]]]
// CHECK:      loop.load {{%[0-9]+}}{{\[}}[[NEXT]]]
// CHECK:      loop.lower_bound {{.*}}, %k
func.func @before_two(%A: tensor<?x?xf64, #csr>, %i: index, %k: index) -> index {
  %r = storage.root %A : tensor<?x?xf64, #csr>
  %count = iteration_lattice.entry_count %r before %i, %k levels 2 : !storage.fiber<tensor<?x?xf64, #csr>, 0>
  func.return %count : index
}

// CHECK-LABEL: func.func @nothing
// CHECK:      %count = arith.constant 0 : index
// CHECK:      func.return %count, %n : index, index
func.func @nothing(%k: index, %n: index) -> (index, index) {
  %f = storage.fill_fiber : !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %count = iteration_lattice.entry_count %f levels 1 : !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %j = iteration_lattice.entry %f, %k past %n : !storage.fiber<tensor<?x?xf64, #csr>, 1>
  func.return %count, %j : index, index
}

// The number of an entry that was read is how far its position lies behind that of the first one; of no entry, `past`.
// CHECK-LABEL: func.func @number
// CHECK:      %vals = storage.values %A
// CHECK:      loop.load %vals[%p]
// CHECK:      [[POS:%[0-9]+]] = storage.array positions %A, 1
// CHECK:      [[BEGIN:%[0-9]+]] = arith.index_cast
// CHECK:      [[FIRST:%[0-9]+]] = arith.addi [[BEGIN]], %k : index
// CHECK:      %number = arith.subi %p, [[FIRST]] : index
// CHECK:      func.return %number, %n : index, index
func.func @number(%A: tensor<?x?xf64, #csr>, %p: index, %k: index, %n: index) -> (index, index) {
  %r = storage.root %A : tensor<?x?xf64, #csr>
  %vals = storage.values %A : tensor<?x?xf64, #csr> -> !loop.buffer<f64>
  %a = loop.load %vals[%p] : f64
  %number = iteration_lattice.entry_number %a from %k past %n in %r levels 2 : f64, !storage.fiber<tensor<?x?xf64, #csr>, 0>
  %gap = algebra.constant absent 0.0 : f64
  %none = iteration_lattice.entry_number %gap from %k past %n in %r levels 2 : f64, !storage.fiber<tensor<?x?xf64, #csr>, 0>
  func.return %number, %none : index, index
}
