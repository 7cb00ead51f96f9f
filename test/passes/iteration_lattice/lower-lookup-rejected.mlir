// What stays as it is.
// RUN: irtensor-opt %s -p lower-lookup | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// Only when all nests are lookups is a plain loop right.
// CHECK-LABEL: func.func @mixed
// CHECK: iteration_lattice.coiterate %lo to %hi over %{{.*}}, %x
func.func @mixed(%x: !nest, %v: f64, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %lookup = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    iteration_lattice.yield %v : f64
  }
  iteration_lattice.coiterate %lo to %hi over %lookup, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %s into %t : f64, !loop.cell<f64>
  }
  func.return
}
