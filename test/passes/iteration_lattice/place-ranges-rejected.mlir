// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p place-ranges | filecheck %s

#list = #storage.format<(i) -> (i : compressed)>
!row = !storage.fiber<tensor<?xf64, #list>, 0>
!entry = !storage.fiber<tensor<?xf64, #list>, 1>
// A level that takes single coordinates.
// CHECK-LABEL: func.func @coordinates
// CHECK-NEXT: iteration_lattice.coiterate %lo to %hi
func.func @coordinates(%f: !row, %v: f64, %lo: index, %hi: index) {
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    iteration_lattice.place %f at %i : !row {
    ^bb0(%o: !entry):
      iteration_lattice.update %v into %o : f64, !entry
    }
  }
  func.return
}

// -----

#runs = #storage.format<(i) -> (i : sparse_run_list)>
!row = !storage.fiber<tensor<?xf64, #runs>, 0>
!entry = !storage.fiber<tensor<?xf64, #runs>, 1>
// A sum that each coordinate adds to, another value at each, and values that are looked up.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: iteration_lattice.coiterate %lo to %hi
func.func @others(%f: !row, %v: f64, %s: !loop.cell<f64>, %x: !loop.buffer<f64>, %lo: index, %hi: index) {
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    iteration_lattice.update add %v into %s : f64, !loop.cell<f64>
    iteration_lattice.place %f at %i : !row {
    ^bb0(%o: !entry):
      iteration_lattice.update %v into %o : f64, !entry
    }
  }
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    %w = loop.load %x[%i] : f64
    iteration_lattice.place %f at %i : !row {
    ^bb0(%o: !entry):
      iteration_lattice.update %w into %o : f64, !entry
    }
  }
  %n = iteration_lattice.lookup !iteration_lattice.looplet<f64> {
  ^bb0(%i: index):
    %w = loop.load %x[%i] : f64
    iteration_lattice.yield %w : f64
  }
  iteration_lattice.coiterate %lo to %hi over %n : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %w: f64):
    iteration_lattice.place %f at %i : !row {
    ^bb0(%o: !entry):
      iteration_lattice.update %w into %o : f64, !entry
    }
  }
  func.return
}

// -----

#runs = #storage.format<(i, j) -> (i : sparse_run_list, j : sparse_run_list)>
!row = !storage.fiber<tensor<?x?xf64, #runs>, 0>
!below = !storage.fiber<tensor<?x?xf64, #runs>, 1>
!entry = !storage.fiber<tensor<?x?xf64, #runs>, 2>
// A place in a loop inside, and one whose children are placed at the same coordinate.
// CHECK-LABEL: func.func @inside
// CHECK: iteration_lattice.coiterate %lo to %hi
// CHECK: iteration_lattice.coiterate %lo to %hi
// CHECK: iteration_lattice.coiterate %lo to %hi
func.func @inside(%f: !row, %v: f64, %lo: index, %hi: index) {
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    iteration_lattice.coiterate %lo to %hi {
    ^bb0(%j: index):
      iteration_lattice.place %f at %i : !row {
      ^bb0(%o: !below):
      }
    }
  }
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    iteration_lattice.place %f at %i : !row {
    ^bb0(%o: !below):
      iteration_lattice.place %o at %i : !below {
      ^bb0(%e: !entry):
        iteration_lattice.update %v into %e : f64, !entry
      }
    }
  }
  func.return
}
