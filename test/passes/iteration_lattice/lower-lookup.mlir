// RUN: irtensor-opt %s --split-input-file -p lower-lookup | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// CHECK-LABEL: func.func @range
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %v = loop.load %x[%i] : f64
// CHECK-NEXT:   %v_1 = loop.load %y[%i] : f64
// CHECK-NEXT:   %p = algebra.apply mul(%v, %v_1) : (f64, f64) -> f64
// CHECK-NEXT:   iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @range(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %left = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    %v = loop.load %x[%i] : f64
    iteration_lattice.yield %v : f64
  }
  %right = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    %v = loop.load %y[%i] : f64
    iteration_lattice.yield %v : f64
  }
  iteration_lattice.coiterate %lo to %hi over %left, %right : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A single coordinate needs no loop.
// CHECK-LABEL: func.func @unit
// CHECK-NEXT: %v = loop.load %x[%lo] : f64
// CHECK-NEXT: iteration_lattice.update add %v into %s : f64, !loop.cell<f64>
// CHECK-NEXT: func.return
func.func @unit(%x: !loop.buffer<f64>, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %left = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    %v = loop.load %x[%i] : f64
    iteration_lattice.yield %v : f64
  }
  iteration_lattice.coiterate unit %lo to %hi over %left : !nest {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// A product of nothing is a loop as well.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   iteration_lattice.update %i into %s : index, !loop.cell<index>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @nothing(%lo: index, %hi: index, %s: !loop.cell<index>) {
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    iteration_lattice.update %i into %s : index, !loop.cell<index>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// What a lookup only finds out at the coordinate is left as a nest of that coordinate.
// CHECK-LABEL: func.func @found_there
// CHECK-NEXT: [[GAP:%[a-z0-9_]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %f = loop.load %flags[%i] : i1
// CHECK-NEXT:   %v = loop.load %x[%i] : f64
// CHECK-NEXT:   %entry = iteration_lattice.run %v
// CHECK-NEXT:   %rest = iteration_lattice.run [[GAP]]
// CHECK-NEXT:   %chosen = iteration_lattice.switch %f, %entry, %rest
// CHECK:        [[AFTER:%[a-z0-9_]+]] = arith.addi %i, {{%[a-z0-9_]+}} : index
// CHECK-NEXT:   iteration_lattice.coiterate unit %i to [[AFTER]] over %chosen
// CHECK-NEXT:   ^bb0({{%[a-z0-9_]+}}: index, %a: f64):
// CHECK-NEXT:     iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
func.func @found_there(%flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %nest = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    %f = loop.load %flags[%i] : i1
    %v = loop.load %x[%i] : f64
    %entry = iteration_lattice.run %v : f64 -> !nest
    %rest = iteration_lattice.run %zero : f64 -> !nest
    %chosen = iteration_lattice.switch %f, %entry, %rest : !nest, !nest -> !nest
    iteration_lattice.yield %chosen : !nest
  }
  iteration_lattice.coiterate %lo to %hi over %nest : !nest {
  ^bb0(%i: index, %a: f64):
    iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
  }
  func.return
}
