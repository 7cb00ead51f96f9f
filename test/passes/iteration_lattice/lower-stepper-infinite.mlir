// RUN: irtensor-opt %s -p 'lower-stepper{max-cases=1}' | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// Where a has no entry the sum is its fill value inf, unless b is -inf; the same the other way round.
// CHECK-LABEL: func.func @opposite
// CHECK:      iteration_lattice.merge select
// CHECK:      [[A:%[0-9]+]] = arith.select [[A_THERE:%[0-9]+]], %va, %gap {selects_stored} : f64
// CHECK:      [[B:%[0-9]+]] = arith.select [[B_THERE:%[0-9]+]], %vb, %gap_1 {selects_stored} : f64
// CHECK:      %u = algebra.apply add([[A]], [[B]]) : (f64, f64) -> f64
// CHECK-NEXT: [[INF:%[0-9]+]] = algebra.constant 0x7ff0000000000000 : f64
// CHECK-NEXT: [[MINUS:%[0-9]+]] = algebra.constant 0xfff0000000000000 : f64
// CHECK-NEXT: [[EQ:%[0-9]+]] = algebra.apply eq([[B]], [[MINUS]]) : (f64, f64) -> i1
// CHECK-NEXT: [[KEEP:%[0-9]+]] = algebra.apply or([[A_THERE]], [[EQ]]) : (i1, i1) -> i1
// CHECK-NEXT: [[U:%[0-9]+]] = algebra.apply where([[KEEP]], %u, [[INF]]) : (i1, f64, f64) -> f64
// CHECK-NEXT: [[MINUS:%[0-9]+]] = algebra.constant 0xfff0000000000000 : f64
// CHECK-NEXT: [[INF:%[0-9]+]] = algebra.constant 0x7ff0000000000000 : f64
// CHECK-NEXT: [[EQ:%[0-9]+]] = algebra.apply eq([[A]], [[INF]]) : (f64, f64) -> i1
// CHECK-NEXT: [[KEEP:%[0-9]+]] = algebra.apply or([[B_THERE]], [[EQ]]) : (i1, i1) -> i1
// CHECK-NEXT: [[W:%[0-9]+]] = algebra.apply where([[KEEP]], [[U]], [[MINUS]]) : (i1, f64, f64) -> f64
// CHECK-NEXT: %r = algebra.apply mul([[W]], %vc) : (f64, f64) -> f64
func.func @opposite(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %qc: !loop.cell<index>, %ec: index, %sc: index, %crdc: !loop.buffer<index>, %valc: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %a = iteration_lattice.stepper %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0x7FF0000000000000 : f64
    %va = loop.load %vala[%p] : f64
    %spike = iteration_lattice.spike %gap, %va : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %b = iteration_lattice.stepper %qb to %eb until %sb : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crdb[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0xFFF0000000000000 : f64
    %vb = loop.load %valb[%p] : f64
    %spike = iteration_lattice.spike %gap, %vb : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %c = iteration_lattice.stepper %qc to %ec until %sc : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crdc[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0.0 : f64
    %vc = loop.load %valc[%p] : f64
    %spike = iteration_lattice.spike %gap, %vc : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  iteration_lattice.coiterate %lo to %hi over %a, %b, %c : !nest, !nest, !nest live [0, 1, 2] {
  ^bb0(%i: index, %a0: f64, %b0: f64, %c0: f64):
    %u = algebra.apply add(%a0, %b0) : (f64, f64) -> f64
    %r = algebra.apply mul(%u, %c0) : (f64, f64) -> f64
    iteration_lattice.update add %r into %t : f64, !loop.cell<f64>
  }
  func.return
}
