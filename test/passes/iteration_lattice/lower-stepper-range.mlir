// RUN: irtensor-opt %s -p lower-stepper | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// The range may end before the list: the first entry behind it is searched, and the loop compares no coordinate.
// CHECK-LABEL: func.func @part
// CHECK: [[PAST:%[a-z0-9_]+]] = loop.cell %{{.*}} : index
// CHECK: loop.while
// CHECK: loop.while
// CHECK: loop.set %{{.*}}, [[PAST]] : index
// CHECK: [[END:%[a-z0-9_]+]] = loop.get [[PAST]] : index
// CHECK: iteration_lattice.walk %{{.*}} to [[END]] {
// CHECK-NOT: arith.cmpi
// CHECK: loop.set [[END]], %q : index
func.func @part(%q: !loop.cell<index>, %e: index, %s: index, %crd: !loop.buffer<index>, %val: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %list = iteration_lattice.stepper %q to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %c = loop.load %crd[%p] : index
    %after = arith.addi %c, %one : index
    iteration_lattice.yield %after : index
  } chunk {
  ^bb0(%p: index, %next: index):
    %zero = algebra.constant 0.0 : f64
    %v = loop.load %val[%p] : f64
    %entry = iteration_lattice.spike %zero, %v : f64, f64 -> !nest
    iteration_lattice.yield %entry : !nest
  }
  iteration_lattice.coiterate entered %lo to %hi over %list : !nest {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}
