// RUN: irtensor-opt %s --split-input-file -p divide-merges | filecheck %s

#sv = #storage.format<(i) -> (i : compressed)>
// One list without which nothing happens: divided when it is a loop over positions.
// CHECK-LABEL: func.func @one_list
// CHECK-NOT: loop.for
// CHECK: iteration_lattice.coiterate full %zero to %n over %a, %b
// CHECK: } {parallel = "automatic"}
func.func @one_list(%A: tensor<?xf64, #sv>, %B: tensor<?xf64>, %s: !loop.cell<f64>) {
  %n = storage.dim %A, 0 : tensor<?xf64, #sv>
  %zero = arith.constant 0 : index
  %a_root = storage.root %A : tensor<?xf64, #sv>
  %a = iteration_lattice.unfurl %a_root : !storage.fiber<tensor<?xf64, #sv>, 0> -> !iteration_lattice.looplet<f64>
  %b_root = storage.root %B : tensor<?xf64>
  %b = iteration_lattice.unfurl %b_root : !storage.fiber<tensor<?xf64>, 0> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  } {parallel = "automatic"}
  func.return
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>
// No parallel loop.
// CHECK-LABEL: func.func @not_marked
// CHECK-NOT: loop.for
// CHECK: iteration_lattice.coiterate full %zero to %n over %a, %b
func.func @not_marked(%A: tensor<?xf64, #sv>, %B: tensor<?xf64, #sv>, %s: !loop.cell<f64>) {
  %n = storage.dim %A, 0 : tensor<?xf64, #sv>
  %zero = arith.constant 0 : index
  %a_root = storage.root %A : tensor<?xf64, #sv>
  %a = iteration_lattice.unfurl %a_root : !storage.fiber<tensor<?xf64, #sv>, 0> -> !iteration_lattice.looplet<f64>
  %b_root = storage.root %B : tensor<?xf64, #sv>
  %b = iteration_lattice.unfurl %b_root : !storage.fiber<tensor<?xf64, #sv>, 0> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#un = #storage.format<(i) -> (i : compressed(nonunique, nonordered))>
// Entries in no order are not those of windows: what needs windows stays on one thread.
// CHECK-LABEL: func.func @no_order
// CHECK-NOT: loop.for
// CHECK: iteration_lattice.coiterate full %zero to %n over %a
// CHECK-NOT: parallel
// CHECK: func.return
func.func @no_order(%A: tensor<?xf64, #un>, %s: !loop.cell<f64>) {
  %n = storage.dim %A, 0 : tensor<?xf64, #un>
  %zero = arith.constant 0 : index
  %a_root = storage.root %A : tensor<?xf64, #un>
  %a = iteration_lattice.unfurl %a_root : !storage.fiber<tensor<?xf64, #un>, 0> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %a : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  } {parallel = "automatic", windows}
  func.return
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// Lists that a loop around it finds: their positions are not known here.
// CHECK-LABEL: func.func @inside
// CHECK-NOT: loop.for
// CHECK: iteration_lattice.coiterate full %zero to %m over
// CHECK: } {parallel = "none"}
func.func @inside(%A: tensor<?x?xf64, #dcsr>, %B: tensor<?x?xf64, #dcsr>, %s: !loop.cell<f64>) {
  %n = storage.dim %A, 0 : tensor<?x?xf64, #dcsr>
  %m = storage.dim %A, 1 : tensor<?x?xf64, #dcsr>
  %zero = arith.constant 0 : index
  %f = storage.root %A : tensor<?x?xf64, #dcsr>
  %a = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #dcsr>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>
  %g = storage.root %B : tensor<?x?xf64, #dcsr>
  %b = iteration_lattice.unfurl %g : !storage.fiber<tensor<?x?xf64, #dcsr>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>, !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>> {
  ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64, #dcsr>, 1>, %other: !storage.fiber<tensor<?x?xf64, #dcsr>, 1>):
    %c = iteration_lattice.unfurl %row : !storage.fiber<tensor<?x?xf64, #dcsr>, 1> -> !iteration_lattice.looplet<f64>
    %d = iteration_lattice.unfurl %other : !storage.fiber<tensor<?x?xf64, #dcsr>, 1> -> !iteration_lattice.looplet<f64>
    iteration_lattice.coiterate full %zero to %m over %c, %d : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
    ^bb1(%j: index, %x: f64, %y: f64):
      %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
      iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
    } {parallel = "none"}
  }
  func.return
}
