// RUN: irtensor-opt %s --split-input-file -p lower-looplets | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'lower-looplets{max-points=1}' | filecheck %s --check-prefix=ONE

!entries = !storage.fiber<tensor<?xf64, #storage.format<(i) -> (i : compressed)>>, 0>
#list = #storage.format<(i) -> (i : compressed)>
// Unfurl, thunk, sequence, stepper, spike and run, one inside the other; nothing is left to co-iterate.
// CHECK-LABEL: func.func @union
// CHECK: iteration_lattice.point %c to {{.*}} phases ["stored", "stored"]
// CHECK: iteration_lattice.merge
// CHECK: iteration_lattice.point %c to {{.*}} phases ["stored", "gap"]
// CHECK: iteration_lattice.walk
// CHECK: iteration_lattice.point %c to {{.*}} phases ["gap", "stored"]
// CHECK: iteration_lattice.walk
// CHECK-NOT: iteration_lattice.coiterate
// With fewer points allowed there is one merge, in which an operand may run out.
// ONE-LABEL: func.func @union
// ONE-NOT: iteration_lattice.point
// ONE: iteration_lattice.merge {{.*}} sentinel [0, 1]
// ONE-NOT: iteration_lattice.walk
func.func @union(%x: tensor<?xf64, #list>, %y: tensor<?xf64, #list>, %t: !loop.cell<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %rx = storage.root %x : tensor<?xf64, #list>
  %ry = storage.root %y : tensor<?xf64, #list>
  %nx = iteration_lattice.unfurl %rx : !entries -> !iteration_lattice.looplet<f64>
  %ny = iteration_lattice.unfurl %ry : !entries -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %nx, %ny : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64, %b: f64):
    %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %s into %t : f64, !loop.cell<f64>
  }
  func.return
}
