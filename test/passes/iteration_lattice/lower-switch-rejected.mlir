// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p lower-switch --verify-diagnostics | filecheck %s

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

// -----

!nest = !iteration_lattice.looplet<f64>
// Where both alternatives are any nests, each combination has a body: of so many operands there are too many.
func.func @many_nests(%c0: i1, %a0: !nest, %b0: !nest, %c1: i1, %a1: !nest, %b1: !nest, %c2: i1, %a2: !nest, %b2: !nest, %c3: i1, %a3: !nest, %b3: !nest, %c4: i1, %a4: !nest, %b4: !nest, %c5: i1, %a5: !nest, %b5: !nest, %c6: i1, %a6: !nest, %b6: !nest, %c7: i1, %a7: !nest, %b7: !nest, %c8: i1, %a8: !nest, %b8: !nest, %lo: index, %hi: index, %t: !loop.cell<f64>) {
  %n0 = iteration_lattice.switch %c0, %a0, %b0 : !nest, !nest -> !nest
  %n1 = iteration_lattice.switch %c1, %a1, %b1 : !nest, !nest -> !nest
  %n2 = iteration_lattice.switch %c2, %a2, %b2 : !nest, !nest -> !nest
  %n3 = iteration_lattice.switch %c3, %a3, %b3 : !nest, !nest -> !nest
  %n4 = iteration_lattice.switch %c4, %a4, %b4 : !nest, !nest -> !nest
  %n5 = iteration_lattice.switch %c5, %a5, %b5 : !nest, !nest -> !nest
  %n6 = iteration_lattice.switch %c6, %a6, %b6 : !nest, !nest -> !nest
  %n7 = iteration_lattice.switch %c7, %a7, %b7 : !nest, !nest -> !nest
  %n8 = iteration_lattice.switch %c8, %a8, %b8 : !nest, !nest -> !nest
  // expected-error @+1 {{[too-many-cases] loop i looks up 9 operands, and each combination of them that is stored at a coordinate needs code of its own: more than 256}}
  iteration_lattice.coiterate %lo to %hi over %n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8 : !nest, !nest, !nest, !nest, !nest, !nest, !nest, !nest, !nest {
  ^bb0(%i: index, %x0: f64, %x1: f64, %x2: f64, %x3: f64, %x4: f64, %x5: f64, %x6: f64, %x7: f64, %x8: f64):
    %s1 = algebra.apply add(%x0, %x1) : (f64, f64) -> f64
    %s2 = algebra.apply add(%s1, %x2) : (f64, f64) -> f64
    %s3 = algebra.apply add(%s2, %x3) : (f64, f64) -> f64
    %s4 = algebra.apply add(%s3, %x4) : (f64, f64) -> f64
    %s5 = algebra.apply add(%s4, %x5) : (f64, f64) -> f64
    %s6 = algebra.apply add(%s5, %x6) : (f64, f64) -> f64
    %s7 = algebra.apply add(%s6, %x7) : (f64, f64) -> f64
    %s8 = algebra.apply add(%s7, %x8) : (f64, f64) -> f64
    iteration_lattice.update add %s8 into %t : f64, !loop.cell<f64>
  }
  func.return
}
