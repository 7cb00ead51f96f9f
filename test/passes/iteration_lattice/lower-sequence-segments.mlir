// RUN: irtensor-opt %s --split-input-file -p lower-sequence | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// Three runs that only contribute: each becomes a list of a gap and a run, and all of them meet in one loop.
// CHECK-LABEL: func.func @three_runs
// CHECK: [[STOP:%[a-z0-9_]+]] = arith.maxsi %b0, %e0 : index
// CHECK: [[CURSOR:%[a-z0-9_]+]] = loop.cell %{{.*}} : index
// CHECK: [[A:%[a-z0-9_]+]] = iteration_lattice.stepper empty [[CURSOR]] to %{{.*}} until [[STOP]] : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0([[Q:%[a-z0-9_]+]]: index):
// CHECK:   [[PIECE:%[a-z0-9_]+]] = arith.cmpi ne, [[Q]], %{{.*}} : index
// CHECK:   [[END:%[a-z0-9_]+]] = arith.select [[PIECE]], [[STOP]], %b0 : index
// CHECK:   iteration_lattice.yield [[END]] : index
// CHECK: } chunk {
// CHECK:   iteration_lattice.switch %{{.*}}, %r0, %gap
// CHECK: [[B:%[a-z0-9_]+]] = iteration_lattice.stepper empty
// CHECK: [[C:%[a-z0-9_]+]] = iteration_lattice.stepper empty
// CHECK-NOT: iteration_lattice.point
// CHECK: iteration_lattice.coiterate entered %{{.*}} to %{{.*}} over [[A]], [[B]], [[C]] :
// CHECK-NOT: iteration_lattice.coiterate
func.func @three_runs(%u: f64, %v: f64, %w: f64, %b0: index, %e0: index, %b1: index, %e1: index, %b2: index, %e2: index, %t: !loop.cell<f64>, %n: index) {
  %origin = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %gap = iteration_lattice.run %zero : f64 -> !nest
  %r0 = iteration_lattice.run %u : f64 -> !nest
  %r1 = iteration_lattice.run %v : f64 -> !nest
  %r2 = iteration_lattice.run %w : f64 -> !nest
  %a = iteration_lattice.sequence within until %b0, %e0 nests %gap, %r0, %gap : !nest, !nest, !nest -> !nest
  %b = iteration_lattice.sequence within until %b1, %e1 nests %gap, %r1, %gap : !nest, !nest, !nest -> !nest
  %c = iteration_lattice.sequence within until %b2, %e2 nests %gap, %r2, %gap : !nest, !nest, !nest -> !nest
  iteration_lattice.coiterate full %origin to %n over %a, %b, %c : !nest, !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64, %z: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    %q = algebra.apply add(%p, %z) : (f64, f64) -> f64
    iteration_lattice.update add %q into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Blocks that begin with the range are looked up at each coordinate before the last of their ends; behind its own end,
// a block has its gap, and reads element 0.
// CHECK-LABEL: func.func @three_blocks
// CHECK: iteration_lattice.lookup !iteration_lattice.looplet<f64> {
// CHECK: ^bb0([[I:%[a-z0-9_]+]]: index):
// CHECK:   [[INSIDE:%[a-z0-9_]+]] = arith.cmpi slt, [[I]], %e0 : index
// CHECK:   [[AT:%[a-z0-9_]+]] = arith.select [[INSIDE]], [[I]], %{{.*}} : index
// CHECK:   loop.load %v[[[AT]]] : f64
// CHECK:   iteration_lattice.switch [[INSIDE]]
// CHECK: arith.maxsi
// CHECK: [[LAST:%[a-z0-9_]+]] = arith.maxsi
// CHECK: [[HI:%[a-z0-9_]+]] = arith.minsi %n, [[LAST]] : index
// CHECK: iteration_lattice.coiterate %origin to [[HI]] over
// CHECK-NOT: iteration_lattice.coiterate
func.func @three_blocks(%v: !loop.buffer<f64>, %e0: index, %e1: index, %e2: index, %t: !loop.cell<f64>, %n: index) {
  %origin = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %gap = iteration_lattice.run %zero : f64 -> !nest
  %k = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    %x = loop.load %v[%i] : f64
    iteration_lattice.yield %x : f64
  }
  %a = iteration_lattice.sequence until %e0 nests %k, %gap : !nest, !nest -> !nest
  %b = iteration_lattice.sequence until %e1 nests %k, %gap : !nest, !nest -> !nest
  %c = iteration_lattice.sequence until %e2 nests %k, %gap : !nest, !nest -> !nest
  iteration_lattice.coiterate full %origin to %n over %a, %b, %c : !nest, !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64, %z: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    %q = algebra.apply add(%p, %z) : (f64, f64) -> f64
    iteration_lattice.update add %q into %t : f64, !loop.cell<f64>
  }
  func.return
}
