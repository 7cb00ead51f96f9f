// Jumpers that cannot lead are visited one entry after the other.
// RUN: irtensor-opt %s --split-input-file -p lower-jumper | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// A union needs every entry of both.
// CHECK-LABEL: func.func @union
// CHECK: [[N0:%[a-z0-9_]+]] = iteration_lattice.stepper %qa to %ea until %sa : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0(%p: index):
// CHECK: ^bb0(%p_1: index, %after: index):
// CHECK: [[N1:%[a-z0-9_]+]] = iteration_lattice.stepper %qb to %eb until %sb : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0(%p_2: index):
// CHECK: ^bb0(%p_3: index, %after_1: index):
// CHECK: iteration_lattice.coiterate %lo to %hi over [[N0]], [[N1]] : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> live [0, 1] {
// CHECK: ^bb0(%i: index, %x: f64, %y: f64):
// CHECK:   %p_4 = algebra.apply add(%x, %y) : (f64, f64) -> f64
// CHECK:   iteration_lattice.update add %p_4 into %t : f64, !loop.cell<f64>
func.func @union(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %a = iteration_lattice.jumper  %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0.0 : f64
    %v = loop.load %vala[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %b = iteration_lattice.jumper  %qb to %eb until %sb : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crdb[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0.0 : f64
    %v = loop.load %valb[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  iteration_lattice.coiterate %lo to %hi over %a, %b : !nest, !nest live [0, 1] {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Alone there is nobody to search for.
// CHECK-LABEL: func.func @alone
// CHECK: [[N0:%[a-z0-9_]+]] = iteration_lattice.stepper %qa to %ea until %sa : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0(%p: index):
// CHECK: ^bb0(%p_1: index, %after: index):
// CHECK: iteration_lattice.coiterate %lo to %hi over [[N0]] : !iteration_lattice.looplet<f64> live [0] {
// CHECK: ^bb0(%i: index, %x: f64):
// CHECK:   iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
func.func @alone(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %a = iteration_lattice.jumper  %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0.0 : f64
    %v = loop.load %vala[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  iteration_lattice.coiterate %lo to %hi over %a : !nest live [0] {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}
