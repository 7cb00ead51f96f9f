// RUN: irtensor-opt %s --split-input-file -p lower-spike | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// A gap that counts: a loop over it, then the last coordinate.
// CHECK-LABEL: func.func @gap
// CHECK-NEXT: [[N0:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[N1:%[a-z0-9_]+]] = arith.subi %hi, [[N0]] : index
// CHECK-NEXT: iteration_lattice.coiterate %lo to [[N1]] over %x : !iteration_lattice.looplet<f64> copies 2 {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   %p = algebra.apply mul(%g, %b) : (f64, f64) -> f64
// CHECK-NEXT:   iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: iteration_lattice.coiterate unit [[N1]] to %hi over %x : !iteration_lattice.looplet<f64> copies 2 {
// CHECK-NEXT: ^bb0(%i_1: index, %b_1: f64):
// CHECK-NEXT:   %p_1 = algebra.apply mul(%t, %b_1) : (f64, f64) -> f64
// CHECK-NEXT:   iteration_lattice.update add %p_1 into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @gap(%g: f64, %t: f64, %x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %spike = iteration_lattice.spike %g, %t : f64, f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %spike, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A gap of no effect: the last coordinate only.
// CHECK-LABEL: func.func @entry
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: [[N0:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[N1:%[a-z0-9_]+]] = arith.subi %hi, [[N0]] : index
// CHECK-NEXT: iteration_lattice.coiterate unit [[N1]] to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   %p = algebra.apply mul(%t, %b) : (f64, f64) -> f64
// CHECK-NEXT:   iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @entry(%t: f64, %x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %spike = iteration_lattice.spike %zero, %t : f64, f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %spike, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Two spikes over one range have their entries at the same coordinate.
// CHECK-LABEL: func.func @two
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: [[N0:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[N1:%[a-z0-9_]+]] = arith.subi %hi, [[N0]] : index
// CHECK-NEXT: %p = algebra.apply add(%t, %u) : (f64, f64) -> f64
// CHECK-NEXT: iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
// CHECK-NEXT: func.return
func.func @two(%t: f64, %u: f64, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %left = iteration_lattice.spike %zero, %t : f64, f64 -> !nest
  %right = iteration_lattice.spike %zero, %u : f64, f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %left, %right : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply add(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}
