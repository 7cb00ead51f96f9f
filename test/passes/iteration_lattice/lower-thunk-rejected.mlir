// What stays as it is.
// RUN: irtensor-opt %s -p lower-thunk | filecheck %s

// The positions of a fiber that a loop yields are known only when that loop is lowered.
// CHECK-LABEL: func.func @unresolved
// CHECK: iteration_lattice.thunk %f
func.func @unresolved(%f: !storage.fiber<tensor<?xf64>, 0>, %n: index) {
  %nest = iteration_lattice.thunk %f : !storage.fiber<tensor<?xf64>, 0> -> !iteration_lattice.looplet<f64> {
  ^bb0(%begin: index, %end: index):
    %x = "test.op"(%begin, %end) : (index, index) -> f64
    %run = iteration_lattice.run %x : f64 -> !iteration_lattice.looplet<f64>
    iteration_lattice.yield %run : !iteration_lattice.looplet<f64>
  }
  iteration_lattice.coiterate %n to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    "test.op"(%x) : (f64) -> ()
  }
  func.return
}
