// RUN: irtensor-opt %s --split-input-file -p lower-sequence | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// The product of a phase of entries and a phase of nothing: the second does nothing, so it is not visited.
// CHECK-LABEL: func.func @one
// CHECK: %zero = algebra.constant 0.000000e+00 : f64
// CHECK: [[END:%[a-z0-9_]+]] = arith.minsi %hi, %stop : index
// CHECK: iteration_lattice.coiterate entered %lo to [[END]] over %a : !iteration_lattice.looplet<f64> {
// CHECK: ^bb0(%i: index, %x: f64):
// CHECK:   iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
func.func @one(%a: !nest, %stop: index, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %rest = iteration_lattice.run %zero : f64 -> !nest
  %sa = iteration_lattice.sequence until %stop nests %a, %rest : !nest, !nest -> !nest
  iteration_lattice.coiterate full entered %lo to %hi over %sa : !nest {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Union of two: both stored, then what is left of one of them. Points follow each other by a running coordinate.
// CHECK-LABEL: func.func @union
// CHECK: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK: %c = loop.cell %lo : index
// CHECK: [[H0:%[a-z0-9_]+]] = arith.minsi %hi, %stopa : index
// CHECK: [[N0:%[a-z0-9_]+]] = arith.minsi [[H0]], %stopb : index
// CHECK: iteration_lattice.point %c to [[N0]] phases ["part", "part"] : !loop.cell<index> {
// CHECK: ^bb0([[N1:%[a-z0-9_]+]]: index, [[N2:%[a-z0-9_]+]]: index):
// CHECK:   iteration_lattice.coiterate entered [[N1]] to [[N2]] over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> copies 3 {
// CHECK:   ^bb0(%i: index, %x: f64, %y: f64):
// CHECK:     %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
// CHECK:     iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
// CHECK: [[HA:%[a-z0-9_]+]] = arith.minsi %hi, %stopa : index
// CHECK: iteration_lattice.point %c to [[HA]] phases ["part", "gap"] : !loop.cell<index> {
// CHECK: ^bb0([[N3:%[a-z0-9_]+]]: index, [[N4:%[a-z0-9_]+]]: index):
// CHECK:   iteration_lattice.coiterate entered [[N3]] to [[N4]] over %a : !iteration_lattice.looplet<f64> copies 3 {
// CHECK:   ^bb0(%i_1: index, %x_1: f64):
// CHECK:     iteration_lattice.update add %x_1 into %t : f64, !loop.cell<f64>
// CHECK: [[HB:%[a-z0-9_]+]] = arith.minsi %hi, %stopb : index
// CHECK: iteration_lattice.point %c to [[HB]] phases ["gap", "part"] : !loop.cell<index> {
// CHECK: ^bb0([[N5:%[a-z0-9_]+]]: index, [[N6:%[a-z0-9_]+]]: index):
// CHECK:   iteration_lattice.coiterate entered [[N5]] to [[N6]] over %b : !iteration_lattice.looplet<f64> copies 3 {
// CHECK:   ^bb0(%i_2: index, %y_1: f64):
// CHECK:     iteration_lattice.update add %y_1 into %t : f64, !loop.cell<f64>
func.func @union(%a: !nest, %b: !nest, %stopa: index, %stopb: index, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %rest = iteration_lattice.run %zero : f64 -> !nest
  %sa = iteration_lattice.sequence until %stopa nests %a, %rest : !nest, !nest -> !nest
  %sb = iteration_lattice.sequence until %stopb nests %b, %rest : !nest, !nest -> !nest
  iteration_lattice.coiterate full entered %lo to %hi over %sa, %sb : !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Intersection: one point, up to the end of the shorter one.
// CHECK-LABEL: func.func @intersection
// CHECK: %zero = algebra.constant 0.000000e+00 : f64
// CHECK: [[H0:%[a-z0-9_]+]] = arith.minsi %hi, %stopa : index
// CHECK: [[N0:%[a-z0-9_]+]] = arith.minsi [[H0]], %stopb : index
// CHECK: iteration_lattice.coiterate entered %lo to [[N0]] over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
// CHECK: ^bb0(%i: index, %x: f64, %y: f64):
// CHECK:   %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
// CHECK:   iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
func.func @intersection(%a: !nest, %b: !nest, %stopa: index, %stopb: index, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %rest = iteration_lattice.run %zero : f64 -> !nest
  %sa = iteration_lattice.sequence until %stopa nests %a, %rest : !nest, !nest -> !nest
  %sb = iteration_lattice.sequence until %stopb nests %b, %rest : !nest, !nest -> !nest
  iteration_lattice.coiterate full entered %lo to %hi over %sa, %sb : !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A rest that counts is a point as well: the fill value of the operand is 1.
// CHECK-LABEL: func.func @rest
// CHECK: %one = algebra.constant absent 1.000000e+00 : f64
// CHECK: %c = loop.cell %lo : index
// CHECK: [[HS:%[a-z0-9_]+]] = arith.minsi %hi, %stop : index
// CHECK: iteration_lattice.point %c to [[HS]] phases ["part"] : !loop.cell<index> {
// CHECK: ^bb0([[N0:%[a-z0-9_]+]]: index, [[N1:%[a-z0-9_]+]]: index):
// CHECK:   iteration_lattice.coiterate entered [[N0]] to [[N1]] over %a : !iteration_lattice.looplet<f64> copies 2 {
// CHECK:   ^bb0(%i: index, %x: f64):
// CHECK:     iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
// CHECK: iteration_lattice.point %c to %hi phases ["gap"] : !loop.cell<index> {
// CHECK: ^bb0([[N2:%[a-z0-9_]+]]: index, [[N3:%[a-z0-9_]+]]: index):
// CHECK:   iteration_lattice.coiterate [[N2]] to [[N3]] copies 2 {
// CHECK:   ^bb0(%i_1: index):
// CHECK:     iteration_lattice.update add %one into %t : f64, !loop.cell<f64>
func.func @rest(%a: !nest, %stop: index, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %one = algebra.constant 1.0 : f64
  %rest = iteration_lattice.run %one : f64 -> !nest
  %sa = iteration_lattice.sequence until %stop nests %a, %rest : !nest, !nest -> !nest
  iteration_lattice.coiterate full entered %lo to %hi over %sa : !nest {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Union of four lists: 15 combinations are above the limit, so all stay in one loop, the ends being where the last stops.
// CHECK-LABEL: func.func @wide
// CHECK: %a = iteration_lattice.stepper %qa to %ea until %sa : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0(%p: index):
// CHECK: ^bb0(%p_1: index, %after: index):
// CHECK:   %gap = algebra.constant 0.000000e+00 : f64
// CHECK:   %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !iteration_lattice.looplet<f64>
// CHECK:   iteration_lattice.yield %spike : !iteration_lattice.looplet<f64>
// CHECK: %b = iteration_lattice.stepper %qb to %eb until %sb : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0(%p_2: index):
// CHECK: ^bb0(%p_3: index, %after_1: index):
// CHECK:   %gap_1 = algebra.constant 0.000000e+00 : f64
// CHECK:   %spike_1 = iteration_lattice.spike %gap_1, %v_1 : f64, f64 -> !iteration_lattice.looplet<f64>
// CHECK:   iteration_lattice.yield %spike_1 : !iteration_lattice.looplet<f64>
// CHECK: %c = iteration_lattice.stepper %qc to %ec until %sc : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0(%p_4: index):
// CHECK: ^bb0(%p_5: index, %after_2: index):
// CHECK:   %gap_2 = algebra.constant 0.000000e+00 : f64
// CHECK:   %spike_2 = iteration_lattice.spike %gap_2, %v_2 : f64, f64 -> !iteration_lattice.looplet<f64>
// CHECK:   iteration_lattice.yield %spike_2 : !iteration_lattice.looplet<f64>
// CHECK: %d = iteration_lattice.stepper %qd to %ed until %sd : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK: ^bb0(%p_6: index):
// CHECK: ^bb0(%p_7: index, %after_3: index):
// CHECK:   %gap_3 = algebra.constant 0.000000e+00 : f64
// CHECK:   %spike_3 = iteration_lattice.spike %gap_3, %v_3 : f64, f64 -> !iteration_lattice.looplet<f64>
// CHECK:   iteration_lattice.yield %spike_3 : !iteration_lattice.looplet<f64>
// CHECK: %zero = algebra.constant 0.000000e+00 : f64
// CHECK: [[N0:%[a-z0-9_]+]] = arith.maxsi %sa, %sb : index
// CHECK: [[N1:%[a-z0-9_]+]] = arith.maxsi [[N0]], %sc : index
// CHECK: [[N2:%[a-z0-9_]+]] = arith.maxsi [[N1]], %sd : index
// CHECK: iteration_lattice.coiterate entered %lo to [[N2]] over %a, %b, %c, %d : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> live [] {
// CHECK: ^bb0(%i: index, %w: f64, %x: f64, %y: f64, %z: f64):
// CHECK:   [[N3:%[a-z0-9_]+]] = algebra.apply add(%w, %x) : (f64, f64) -> f64
// CHECK:   [[N4:%[a-z0-9_]+]] = algebra.apply add([[N3]], %y) : (f64, f64) -> f64
// CHECK:   [[N5:%[a-z0-9_]+]] = algebra.apply add([[N4]], %z) : (f64, f64) -> f64
// CHECK:   iteration_lattice.update add [[N5]] into %t : f64, !loop.cell<f64>
func.func @wide(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %qc: !loop.cell<index>, %ec: index, %sc: index, %crdc: !loop.buffer<index>, %valc: !loop.buffer<f64>, %qd: !loop.cell<index>, %ed: index, %sd: index, %crdd: !loop.buffer<index>, %vald: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %a = iteration_lattice.stepper  %qa to %ea until %sa : !loop.cell<index> -> !nest load {
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
  %b = iteration_lattice.stepper  %qb to %eb until %sb : !loop.cell<index> -> !nest load {
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
  %c = iteration_lattice.stepper  %qc to %ec until %sc : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crdc[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0.0 : f64
    %v = loop.load %valc[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %d = iteration_lattice.stepper  %qd to %ed until %sd : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crdd[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0.0 : f64
    %v = loop.load %vald[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %zero = algebra.constant 0.0 : f64
  %rest = iteration_lattice.run %zero : f64 -> !nest
  %na = iteration_lattice.sequence until %sa nests %a, %rest : !nest, !nest -> !nest
  %nb = iteration_lattice.sequence until %sb nests %b, %rest : !nest, !nest -> !nest
  %nc = iteration_lattice.sequence until %sc nests %c, %rest : !nest, !nest -> !nest
  %nd = iteration_lattice.sequence until %sd nests %d, %rest : !nest, !nest -> !nest
  iteration_lattice.coiterate full entered %lo to %hi over %na, %nb, %nc, %nd : !nest, !nest, !nest, !nest {
  ^bb0(%i: index, %w: f64, %x: f64, %y: f64, %z: f64):
    %1 = algebra.apply add(%w, %x) : (f64, f64) -> f64
    %2 = algebra.apply add(%1, %y) : (f64, f64) -> f64
    %3 = algebra.apply add(%2, %z) : (f64, f64) -> f64
    iteration_lattice.update add %3 into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// 0 times the second operand is not folded while it may still be in a gap, which is infinite.
// CHECK-LABEL: func.func @infinite_gaps
// CHECK: iteration_lattice.point %c to %{{.*}} phases ["stored", "stored"]
// CHECK: iteration_lattice.coiterate {{.*}} over %a, %b :
// CHECK: algebra.apply mul(%zero, %y
func.func @infinite_gaps(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %a = iteration_lattice.stepper  %qa to %ea until %sa : !loop.cell<index> -> !nest load {
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
  %b = iteration_lattice.stepper  %qb to %eb until %sb : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crdb[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = algebra.constant 0x7FF0000000000000 : f64
    %v = loop.load %valb[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %zero = algebra.constant 0.0 : f64
  %inf = algebra.constant 0x7FF0000000000000 : f64
  %resta = iteration_lattice.run %zero : f64 -> !nest
  %restb = iteration_lattice.run %inf : f64 -> !nest
  %na = iteration_lattice.sequence until %sa nests %a, %resta : !nest, !nest -> !nest
  %nb = iteration_lattice.sequence until %sb nests %b, %restb : !nest, !nest -> !nest
  iteration_lattice.coiterate full entered %lo to %hi over %na, %nb : !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64):
    %positive = algebra.apply gt(%x, %zero) : (f64, f64) -> i1
    %none = algebra.apply mul(%zero, %y) : (f64, f64) -> f64
    %chosen = algebra.apply where(%positive, %none, %zero) : (i1, f64, f64) -> f64
    iteration_lattice.update %chosen into %t : f64, !loop.cell<f64>
  }
  func.return
}
