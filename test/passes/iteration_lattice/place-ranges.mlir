// RUN: irtensor-opt %s --split-input-file -p place-ranges | filecheck %s

#runs = #storage.format<(i) -> (i : sparse_run_list)>
!row = !storage.fiber<tensor<?xf64, #runs>, 0>
!entry = !storage.fiber<tensor<?xf64, #runs>, 1>
// A range that may be empty is asked for, and what is computed for all of it is computed once.
// CHECK-LABEL: func.func @range
// CHECK-NEXT: %[[SOME:.*]] = arith.cmpi slt, %lo, %hi : index
// CHECK-NEXT: iteration_lattice.if %[[SOME]] {
// CHECK-NEXT:   %w = algebra.apply mul(%v, %v) : (f64, f64) -> f64
// CHECK-NEXT:   iteration_lattice.place %f at %lo until %hi : {{.*}} {
// CHECK-NEXT:   ^bb0(%o: {{.*}}):
// CHECK-NEXT:     iteration_lattice.update %w into %o
// CHECK-NOT:  iteration_lattice.coiterate
func.func @range(%f: !row, %v: f64, %lo: index, %hi: index) {
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    %w = algebra.apply mul(%v, %v) : (f64, f64) -> f64
    iteration_lattice.place %f at %i : !row {
    ^bb0(%o: !entry):
      iteration_lattice.update %w into %o : f64, !entry
    }
  }
  func.return
}

// -----

#runs = #storage.format<(i) -> (i : sparse_run_list)>
!row = !storage.fiber<tensor<?xf64, #runs>, 0>
!entry = !storage.fiber<tensor<?xf64, #runs>, 1>
// That of a point is not empty; a place in a branch is one of the whole range as well.
// CHECK-LABEL: func.func @point
// CHECK:      ^bb0(%lo: index, %hi: index):
// CHECK-NEXT:   iteration_lattice.if %stored {
// CHECK-NEXT:     iteration_lattice.place %f at %lo until %hi
func.func @point(%f: !row, %v: f64, %stored: i1, %c: !loop.cell<index>, %end: index) {
  iteration_lattice.point %c to %end : !loop.cell<index> {
  ^bb0(%lo: index, %hi: index):
    iteration_lattice.coiterate %lo to %hi {
    ^bb0(%i: index):
      iteration_lattice.if %stored {
        iteration_lattice.place %f at %i : !row {
        ^bb0(%o: !entry):
          iteration_lattice.update %v into %o : f64, !entry
        }
      } else {
      }
    }
  }
  func.return
}
