// Lists that nothing is known of, at different places, or of tensors stored in another way are merged.
// RUN: irtensor-opt %s --split-input-file -p lower-looplets,walk-equal-lists | filecheck %s

!vector = tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
// CHECK-LABEL: func.func @unknown
// CHECK:       iteration_lattice.merge
func.func @unknown(%A: !vector, %B: !vector, %t: !loop.cell<f64>) {
  %zero = arith.constant 0 : index
  %n = storage.dim %A, 0 : !vector
  %a = storage.root %A : !vector
  %x = iteration_lattice.unfurl %a : !storage.fiber<!vector, 0> -> !iteration_lattice.looplet<f64>
  %b = storage.root %B : !vector
  %y = iteration_lattice.unfurl %b : !storage.fiber<!vector, 0> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %x, %y : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %u: f64, %v: f64):
    %product = algebra.apply mul(%u, %v) : (f64, f64) -> f64
    iteration_lattice.update add %product into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!vector = tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
// One of three lists is another one.
// CHECK-LABEL: func.func @third
// CHECK:       iteration_lattice.merge
func.func @third(%A: !vector, %B: !vector {storage.entries_of = 0 : index}, %D: !vector, %t: !loop.cell<f64>) {
  %zero = arith.constant 0 : index
  %n = storage.dim %A, 0 : !vector
  %a = storage.root %A : !vector
  %x = iteration_lattice.unfurl %a : !storage.fiber<!vector, 0> -> !iteration_lattice.looplet<f64>
  %b = storage.root %B : !vector
  %y = iteration_lattice.unfurl %b : !storage.fiber<!vector, 0> -> !iteration_lattice.looplet<f64>
  %d = storage.root %D : !vector
  %z = iteration_lattice.unfurl %d : !storage.fiber<!vector, 0> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %x, %y, %z : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %u: f64, %v: f64, %w: f64):
    %p = algebra.apply mul(%u, %v) : (f64, f64) -> f64
    %product = algebra.apply mul(%p, %w) : (f64, f64) -> f64
    iteration_lattice.update add %product into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!matrix = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// Rows of different numbers store what they store.
// CHECK-LABEL: func.func @rows
// CHECK:       iteration_lattice.merge
func.func @rows(%A: !matrix, %B: !matrix {storage.entries_of = 0 : index}, %t: !loop.cell<f64>, %r: index, %s: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = storage.dim %A, 1 : !matrix
  %r1 = arith.addi %r, %one : index
  %a = storage.fiber %A[%r to %r1] : !matrix -> !storage.fiber<!matrix, 1>
  %x = iteration_lattice.unfurl %a : !storage.fiber<!matrix, 1> -> !iteration_lattice.looplet<f64>
  %s1 = arith.addi %s, %one : index
  %b = storage.fiber %B[%s to %s1] : !matrix -> !storage.fiber<!matrix, 1>
  %y = iteration_lattice.unfurl %b : !storage.fiber<!matrix, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %m over %x, %y : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%j: index, %u: f64, %v: f64):
    %product = algebra.apply mul(%u, %v) : (f64, f64) -> f64
    iteration_lattice.update add %product into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
!columns = tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>
// What is converted has its lists elsewhere; a number of no argument before says nothing.
// CHECK-LABEL: func.func @converted
// CHECK:       iteration_lattice.merge
func.func @converted(%A: !rows {storage.entries_of = 7 : index}, %B: !columns {storage.entries_of = 0 : index}, %t: !loop.cell<f64>, %r: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = storage.dim %A, 1 : !rows
  %r1 = arith.addi %r, %one : index
  %a = storage.fiber %A[%r to %r1] : !rows -> !storage.fiber<!rows, 1>
  %x = iteration_lattice.unfurl %a : !storage.fiber<!rows, 1> -> !iteration_lattice.looplet<f64>
  %b = storage.fiber %B[%r to %r1] : !columns -> !storage.fiber<!columns, 1>
  %y = iteration_lattice.unfurl %b : !storage.fiber<!columns, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %m over %x, %y : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%j: index, %u: f64, %v: f64):
    %product = algebra.apply mul(%u, %v) : (f64, f64) -> f64
    iteration_lattice.update add %product into %t : f64, !loop.cell<f64>
  }
  func.return
}
