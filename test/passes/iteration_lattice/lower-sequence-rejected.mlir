// What stays as it is.
// RUN: irtensor-opt %s -p 'lower-sequence{max-points=1}' | filecheck %s

// Looplets of another kind: each rewrite knows one, and leaves the others to theirs.
// CHECK-LABEL: func.func @others
// CHECK: [[NEST:%[a-z_]+]] = iteration_lattice.lookup
// CHECK: iteration_lattice.coiterate full %lo to %hi over [[NEST]], %a : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i_1: index, %x: f64, %y: f64):
// CHECK-NEXT: iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
func.func @others(%a: !iteration_lattice.looplet<f64>, %v: f64, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %lookup = iteration_lattice.lookup !iteration_lattice.looplet<f64> {
  ^bb0(%i: index):
    iteration_lattice.yield %v : f64
  }
  iteration_lattice.coiterate full %lo to %hi over %lookup, %a : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64, %y: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// An operand whose rest differs from its gaps cannot be kept in one loop: its points stay apart, whatever the limit.
// CHECK-LABEL: func.func @different_rest
// CHECK: [[END:%[a-z0-9_]+]] = arith.minsi %hi, %stop : index
// CHECK: iteration_lattice.point %c to [[END]]
// CHECK: iteration_lattice.point %c to %hi
func.func @different_rest(%a: !iteration_lattice.looplet<f64>, %stop: index, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %one = algebra.constant 1.0 : f64
  %rest = iteration_lattice.run %one : f64 -> !iteration_lattice.looplet<f64>
  %s = iteration_lattice.sequence until %stop nests %a, %rest : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %lo to %hi over %s : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}
