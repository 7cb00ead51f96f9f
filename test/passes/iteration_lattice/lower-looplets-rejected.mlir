// RUN: irtensor-opt %s --split-input-file -p lower-looplets --verify-diagnostics

#list = #storage.format<(i) -> (i : compressed(nonordered))>
!root = !storage.fiber<tensor<?xf64, #list>, 0>
// Unordered lists cannot be merged.
func.func @merge(%x: tensor<?xf64, #list>, %y: tensor<?xf64, #list>, %t: !loop.cell<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %r = storage.root %x : tensor<?xf64, #list>
  %s = storage.root %y : tensor<?xf64, #list>
  // expected-error @+1 {{[unordered-merge] an operand with unordered coordinates}}
  %a = iteration_lattice.unfurl %r : !root -> !iteration_lattice.looplet<f64>
  %b = iteration_lattice.unfurl %s : !root -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %v: f64, %w: f64):
    %p = algebra.apply mul(%v, %w) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}
