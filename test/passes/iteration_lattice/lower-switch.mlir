// RUN: irtensor-opt %s --split-input-file -p lower-switch | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// CHECK-LABEL: func.func @both
// CHECK-NEXT: iteration_lattice.if %c {
// CHECK-NEXT:   iteration_lattice.coiterate full %lo to %hi over %a : !iteration_lattice.looplet<f64> copies 2 {
// CHECK-NEXT:   ^bb0(%i: index, %x: f64):
// CHECK-NEXT:     iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
// CHECK-NEXT:   }
// CHECK-NEXT: } else {
// CHECK-NEXT:   iteration_lattice.coiterate full %lo to %hi over %b : !iteration_lattice.looplet<f64> copies 2 {
// CHECK-NEXT:   ^bb0(%i_1: index, %x_1: f64):
// CHECK-NEXT:     iteration_lattice.update add %x_1 into %s : f64, !loop.cell<f64>
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @both(%c: i1, %a: !nest, %b: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %switch = iteration_lattice.switch %c, %a, %b : !nest, !nest -> !nest
  iteration_lattice.coiterate full %lo to %hi over %switch : !nest {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Where nothing was found there is nothing to do.
// CHECK-LABEL: func.func @found
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: iteration_lattice.if %c {
// CHECK-NEXT:   iteration_lattice.update add %v into %s : f64, !loop.cell<f64>
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @found(%c: i1, %v: f64, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %entry = iteration_lattice.run %v : f64 -> !nest
  %nothing = iteration_lattice.run %zero : f64 -> !nest
  %switch = iteration_lattice.switch %c, %entry, %nothing : !nest, !nest -> !nest
  iteration_lattice.coiterate unit %lo to %hi over %switch : !nest {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Of three and more, the payloads are selected: one body, for what any of them has.
// CHECK-LABEL: func.func @three
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: [[SOME:%\d+]] = arith.ori %c, %d : i1
// CHECK-NEXT: [[ANY:%\d+]] = arith.ori [[SOME]], %e : i1
// CHECK-NEXT: iteration_lattice.if [[ANY]] {
// CHECK-NEXT:   [[X:%\d+]] = arith.select %c, %v, %zero {selects_stored} : f64
// CHECK:        [[Y:%\d+]] = arith.select %d, %v, %zero {selects_stored} : f64
// CHECK:        [[Z:%\d+]] = arith.select %e, %v, %zero {selects_stored} : f64
// CHECK:        iteration_lattice.update
// CHECK-NOT: iteration_lattice.update
func.func @three(%c: i1, %d: i1, %e: i1, %v: f64, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %entry = iteration_lattice.run %v : f64 -> !nest
  %nothing = iteration_lattice.run %zero : f64 -> !nest
  %first = iteration_lattice.switch %c, %entry, %nothing : !nest, !nest -> !nest
  %second = iteration_lattice.switch %d, %entry, %nothing : !nest, !nest -> !nest
  %third = iteration_lattice.switch %e, %entry, %nothing : !nest, !nest -> !nest
  iteration_lattice.coiterate unit %lo to %hi over %first, %second, %third : !nest, !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64, %z: f64):
    %0 = algebra.apply add(%x, %y) : (f64, f64) -> f64
    %1 = algebra.apply add(%0, %z) : (f64, f64) -> f64
    iteration_lattice.update add %1 into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Branches would be too many copies of the loop inside: the payload is selected.
// CHECK-LABEL: func.func @many_copies
// CHECK:      %[[X:[a-z0-9]+]] = arith.select %c, %v, %one {selects_stored} : f64
// CHECK-NOT:  iteration_lattice.if
// CHECK:      iteration_lattice.coiterate %lo to %hi copies 25 {
// CHECK:        iteration_lattice.update add %[[X]] into %s
func.func @many_copies(%c: i1, %v: f64, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %one = algebra.constant 1.0 : f64
  %entry = iteration_lattice.run %v : f64 -> !nest
  %rest = iteration_lattice.run %one : f64 -> !nest
  %switch = iteration_lattice.switch %c, %entry, %rest : !nest, !nest -> !nest
  iteration_lattice.coiterate unit %lo to %hi over %switch : !nest copies 25 {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.coiterate %lo to %hi copies 25 {
    ^bb0(%j: index):
      iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// CHECK-LABEL: func.func @few_copies
// CHECK:      iteration_lattice.if %c {
// CHECK:        iteration_lattice.coiterate %lo to %hi copies 48 {
// CHECK:      } else {
// CHECK:        iteration_lattice.coiterate %lo to %hi copies 48 {
func.func @few_copies(%c: i1, %v: f64, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %one = algebra.constant 1.0 : f64
  %entry = iteration_lattice.run %v : f64 -> !nest
  %rest = iteration_lattice.run %one : f64 -> !nest
  %switch = iteration_lattice.switch %c, %entry, %rest : !nest, !nest -> !nest
  iteration_lattice.coiterate unit %lo to %hi over %switch : !nest copies 24 {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.coiterate %lo to %hi copies 24 {
    ^bb0(%j: index):
      iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
    }
  }
  func.return
}
