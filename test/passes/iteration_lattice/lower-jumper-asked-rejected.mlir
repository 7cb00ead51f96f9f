// A schedule that asks for jumpers is not left out without a word.
// RUN: irtensor-opt %s -p lower-jumper --verify-diagnostics

!nest = !iteration_lattice.looplet<f64>
func.func @asked(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
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
  // expected-error @+1 {{[illegal-merge] merge: loop i cannot gallop, because it also iterates over a level that is walked entry by entry}}
  iteration_lattice.coiterate merge "gallop" %lo to %hi over %a, %b : !nest, !nest live [0, 1] {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}
