// RUN: irtensor-opt %s --split-input-file -p unfurl --verify-diagnostics | filecheck %s

#list = #storage.format<(i) -> (i : compressed(nonordered))>
!root = !storage.fiber<tensor<?xf64, #list>, 0>
// A single coordinate cannot be searched in a list without order.
func.func @search(%x: tensor<?xf64, #list>, %t: !loop.cell<f64>, %at: index, %after: index) {
  %r = storage.root %x : tensor<?xf64, #list>
  %nest = iteration_lattice.unfurl %r : !root -> !iteration_lattice.looplet<f64>
  // expected-error @-1 {{[unordered-search] level 0 (i : compressed(nonordered)) of 'x' is not ordered}}
  iteration_lattice.coiterate unit %at to %after over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// A fiber of unknown origin stays folded until the loop around it is lowered.
// CHECK-LABEL: func.func @unknown
// CHECK: iteration_lattice.unfurl %f
func.func @unknown(%f: !storage.fiber<tensor<?xf64>, 0>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?xf64>, 0> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %lo to %hi over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#list = #storage.format<(i) -> (i : compressed(nonordered))>
!root = !storage.fiber<tensor<?xf64, #list>, 0>
// Nor can the start of a window.
func.func @window(%x: tensor<?xf64, #list>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %r = storage.root %x : tensor<?xf64, #list>
  %nest = iteration_lattice.unfurl %r : !root -> !iteration_lattice.looplet<f64>
  // expected-error @-1 {{[unordered-search] level 0 (i : compressed(nonordered)) of 'x' is not ordered, so a part of its coordinates cannot be searched}}
  iteration_lattice.coiterate window %lo to %hi over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
!root = !storage.fiber<tensor<?xf64, #table>, 0>
// What has no order is not merged.
func.func @merge(%x: tensor<?xf64, #table>, %y: tensor<?xf64, #table>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %r = storage.root %x : tensor<?xf64, #table>
  %q = storage.root %y : tensor<?xf64, #table>
  %left = iteration_lattice.unfurl %r : !root -> !iteration_lattice.looplet<f64>
  // expected-error @-1 {{[unordered-merge] level 0 (i : hashed) of 'x', which is not ordered, is combined with others}}
  %right = iteration_lattice.unfurl %q : !root -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %lo to %hi over %left, %right : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64, %b: f64):
    %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %c into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#diagonals = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
// Nor is there a list of what follows from the diagonal.
func.func @offset(%A: tensor<?x?xf64, #diagonals>, %t: !loop.cell<f64>, %p: index, %q: index, %hi: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #diagonals> -> !storage.fiber<tensor<?x?xf64, #diagonals>, 2>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #diagonals>, 2> -> !iteration_lattice.looplet<f64>
  // expected-error @-1 {{[diagonal-mismatch] a loop is over level 2 (j : offset), whose coordinate follows from the diagonal}}
  iteration_lattice.coiterate full %p to %hi over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %t : f64, !loop.cell<f64>
  }
  func.return
}
