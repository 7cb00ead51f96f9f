// RUN: irtensor-opt %s --split-input-file -p lower-looplets --verify-diagnostics

#list = #storage.format<(i) -> (i : compressed(nonordered))>
!root = !storage.fiber<tensor<?xf64, #list>, 0>
// Unordered lists cannot be merged.
func.func @merge(%x: tensor<?xf64, #list>, %y: tensor<?xf64, #list>, %t: !loop.cell<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %r = storage.root %x : tensor<?xf64, #list>
  %s = storage.root %y : tensor<?xf64, #list>
  // expected-error @+1 {{[unordered-merge] level 0 (i : compressed(nonordered)) of 'x', which is not ordered, is combined with others}}
  %a = iteration_lattice.unfurl %r : !root -> !iteration_lattice.looplet<f64>
  %b = iteration_lattice.unfurl %s : !root -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %v: f64, %w: f64):
    %p = algebra.apply mul(%v, %w) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// Nothing in the function says what the nest looks like.
!nest = !iteration_lattice.looplet<f64>
func.func @argument(%x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  // expected-error @+1 {{[wrong-stage] nest 0 of this loop is not defined by a looplet operation}}
  iteration_lattice.coiterate %lo to %hi over %x : !nest {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

func.func @fiber(%f: !storage.fiber<tensor<?xf64>, 0>, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %x = iteration_lattice.unfurl %f : !storage.fiber<tensor<?xf64>, 0> -> !iteration_lattice.looplet<f64>
  // expected-error @+1 {{[wrong-stage] the fiber of nest 0 is not resolved to positions of a tensor}}
  iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
func.func @single(%q: !loop.cell<index>, %end: index, %v: f64, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %x = iteration_lattice.stepper %q to %end until %end : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %run = iteration_lattice.run %v : f64 -> !nest
    iteration_lattice.yield %run : !nest
  }
  // expected-error @+1 {{[wrong-stage] nest 0 goes from entry to entry, but the loop is over a single coordinate}}
  iteration_lattice.coiterate unit %lo to %hi over %x : !nest {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// Of several nests it is the second one that nothing is known of.
!nest = !iteration_lattice.looplet<f64>
func.func @second(%x: !nest, %b: !loop.buffer<f64>, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %l = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    %v = loop.load %b[%i] : f64
    iteration_lattice.yield %v : f64
  }
  // expected-error @+1 {{[wrong-stage] nest 1 of this loop is not defined by a looplet operation}}
  iteration_lattice.coiterate %lo to %hi over %l, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %c: f64):
    %p = algebra.apply mul(%a, %c) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}
