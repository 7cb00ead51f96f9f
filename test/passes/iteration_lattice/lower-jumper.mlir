// RUN: irtensor-opt %s --split-input-file -p lower-jumper | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// Only coordinates that both store matter: each searches for the other's coordinate.
// CHECK-LABEL: func.func @gallop
// CHECK: iteration_lattice.merge gallop %lo to %hi cursors %qa, %qb to %ea, %eb : !loop.cell<index>, !loop.cell<index> sentinel [] nonunique [] load {
// CHECK: ^bb0([[N0:%[a-z0-9_]+]]: index, [[N1:%[a-z0-9_]+]]: index):
// CHECK: } cases {{\[\[}}0, 1]] {
// CHECK: ^bb0([[N2:%[a-z0-9_]+]]: index, [[N3:%[a-z0-9_]+]]: index, [[N4:%[a-z0-9_]+]]: index, [[N5:%[a-z0-9_]+]]: index, [[N6:%[a-z0-9_]+]]: index, [[N7:%[a-z0-9_]+]]: index):
// CHECK:   [[P:%[a-z0-9_]+]] = algebra.apply mul(%v, %v_1) : (f64, f64) -> f64
// CHECK:   iteration_lattice.update add [[P]] into %t : f64, !loop.cell<f64>
func.func @gallop(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
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
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}
