// RUN: irtensor-opt %s --split-input-file -p lower-stepper | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// One list whose range it bounds: a loop over its positions; gaps of no effect are not visited.
// CHECK-LABEL: func.func @walk
// CHECK: iteration_lattice.walk [[N1:%[a-z0-9_]+]] to %ea {
// CHECK: ^bb0(%p: index):
// CHECK:   iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
func.func @walk(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
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
  iteration_lattice.coiterate full entered %lo to %sa over %a : !nest live [0] {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Gaps that count are loops of their own, from the coordinate after one entry to the next.
// CHECK-LABEL: func.func @gaps
// CHECK: [[N2:%[a-z0-9_]+]] = loop.cell %lo : index
// CHECK: iteration_lattice.walk [[N1:%[a-z0-9_]+]] to %ea {
// CHECK: ^bb0(%p: index):
// CHECK:   iteration_lattice.coiterate [[N5:%[a-z0-9_]+]] to %end over %spike : !iteration_lattice.looplet<f64> {
// CHECK:   ^bb0(%i: index, %x: f64):
// CHECK:     iteration_lattice.update max %x into %t : f64, !loop.cell<f64>
func.func @gaps(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
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
  iteration_lattice.coiterate full entered %lo to %sa over %a : !nest live [0] {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update max %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// An intersection of two: only where both are aligned does anything happen.
// CHECK-LABEL: func.func @intersection
// CHECK: iteration_lattice.merge cases %lo to %hi cursors %qa, %qb to %ea, %eb : !loop.cell<index>, !loop.cell<index> sentinel [] nonunique [] load {
// CHECK: ^bb0([[N0:%[a-z0-9_]+]]: index, [[N1:%[a-z0-9_]+]]: index):
// CHECK: } cases {{\[\[}}0, 1]] {
// CHECK: ^bb0([[N2:%[a-z0-9_]+]]: index, [[N3:%[a-z0-9_]+]]: index, [[N4:%[a-z0-9_]+]]: index, [[N5:%[a-z0-9_]+]]: index, [[N6:%[a-z0-9_]+]]: index, [[N7:%[a-z0-9_]+]]: index):
// CHECK:   [[P:%[a-z0-9_]+]] = algebra.apply mul(%v, %v_1) : (f64, f64) -> f64
// CHECK:   iteration_lattice.update add [[P]] into %t : f64, !loop.cell<f64>
func.func @intersection(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
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
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest live [0, 1] {
  ^bb0(%i: index, %x: f64, %y: f64):
    "test.op"(%i) : (index) -> ()
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A union over a range that may cut chunks: a case per set of aligned cursors.
// CHECK-LABEL: func.func @union
// CHECK: iteration_lattice.merge cases %lo to %hi cursors %qa, %qb to %ea, %eb : !loop.cell<index>, !loop.cell<index> sentinel [0, 1] nonunique [] cut load {
// CHECK: ^bb0([[N0:%[a-z0-9_]+]]: index, [[N1:%[a-z0-9_]+]]: index):
// CHECK: } cases {{\[\[}}0, 1], [0], [1]] {
// CHECK: ^bb0([[N2:%[a-z0-9_]+]]: index, [[N3:%[a-z0-9_]+]]: index, [[N4:%[a-z0-9_]+]]: index, [[N5:%[a-z0-9_]+]]: index, [[N6:%[a-z0-9_]+]]: index, [[N7:%[a-z0-9_]+]]: index):
// CHECK:   [[P:%[a-z0-9_]+]] = algebra.apply add(%v, %v_1) : (f64, f64) -> f64
// CHECK:   iteration_lattice.update add [[P]] into %t : f64, !loop.cell<f64>
// CHECK: ^bb0([[N12:%[a-z0-9_]+]]: index, [[N13:%[a-z0-9_]+]]: index, [[N14:%[a-z0-9_]+]]: index, [[N15:%[a-z0-9_]+]]: index, [[N16:%[a-z0-9_]+]]: index, [[N17:%[a-z0-9_]+]]: index):
// CHECK:   iteration_lattice.update add %v_{{[0-9]+}} into %t : f64, !loop.cell<f64>
// CHECK: ^bb0([[N22:%[a-z0-9_]+]]: index, [[N23:%[a-z0-9_]+]]: index, [[N24:%[a-z0-9_]+]]: index, [[N25:%[a-z0-9_]+]]: index, [[N26:%[a-z0-9_]+]]: index, [[N27:%[a-z0-9_]+]]: index):
// CHECK:   iteration_lattice.update add %v_{{[0-9]+}} into %t : f64, !loop.cell<f64>
func.func @union(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
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
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Where neither list is cut and the body is arithmetic, one body selects between entry and fill value.
// CHECK-LABEL: func.func @select
// CHECK: iteration_lattice.merge select %lo to %hi cursors %qa, %qb to %ea, %eb : !loop.cell<index>, !loop.cell<index> sentinel [1] nonunique [] load {
// CHECK: ^bb0([[N0:%[a-z0-9_]+]]: index, [[N1:%[a-z0-9_]+]]: index):
// CHECK: } cases {{\[\[}}0], [1]] {
// CHECK: ^bb0([[N2:%[a-z0-9_]+]]: index, [[N3:%[a-z0-9_]+]]: index, [[N4:%[a-z0-9_]+]]: index, [[N5:%[a-z0-9_]+]]: index, [[N6:%[a-z0-9_]+]]: index, [[N7:%[a-z0-9_]+]]: index, [[N8:%[a-z0-9_]+]]: i1, [[N9:%[a-z0-9_]+]]: i1):
// CHECK:   [[N10:%[a-z0-9_]+]] = arith.select [[N8]], %v, {{.*}} : f64
// CHECK:   [[N12:%[a-z0-9_]+]] = arith.select [[N9]], %v_1, {{.*}} : f64
// CHECK:   [[P:%[a-z0-9_]+]] = algebra.apply add([[N10]], [[N12]]) : (f64, f64) -> f64
// CHECK:   iteration_lattice.update add [[P]] into %t : f64, !loop.cell<f64>
func.func @select(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
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
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest live [0] {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// One body for both lists computes 0 * inf where the first has no entry: the product is the 0 there. It is not under a sum, which nothing annihilates.
// CHECK-LABEL: func.func @select_annihilated
// CHECK: } cases {{\[\[}}0], [1]] {
// CHECK-NEXT: ^bb0({{.*}}, [[HAS_A:%[a-z0-9_]+]]: i1, [[HAS_B:%[a-z0-9_]+]]: i1):
// CHECK: [[A:%[a-z0-9_]+]] = arith.select [[HAS_A]], %v, {{.*}} : f64
// CHECK: [[B:%[a-z0-9_]+]] = arith.select [[HAS_B]], %v_1, {{.*}} : f64
// CHECK: [[P:%[a-z0-9_]+]] = algebra.apply mul([[A]], %infinite) : (f64, f64) -> f64
// CHECK-NEXT: [[NONE:%[a-z0-9_]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[KEPT:%[a-z0-9_]+]] = algebra.apply where([[HAS_A]], [[P]], [[NONE]]) : (i1, f64, f64) -> f64
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = algebra.apply add([[KEPT]], [[B]]) : (f64, f64) -> f64
// CHECK-NEXT: iteration_lattice.update add [[S]] into %t : f64, !loop.cell<f64>
func.func @select_annihilated(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index, %infinite: f64) {
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
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest live [0] {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply mul(%x, %infinite) : (f64, f64) -> f64
    %s = algebra.apply add(%p, %y) : (f64, f64) -> f64
    iteration_lattice.update add %s into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A 0 that is written is a number: what it makes of the entries of the second list is computed, of its gaps, which are infinite, it is known. So there are two cases.
// CHECK-LABEL: func.func @infinite_gaps
// CHECK: } cases {{\[\[}}0, 1], [0]] {
// CHECK: [[NONE:%[a-z0-9_]+]] = algebra.apply mul(%zero, %{{v[_0-9]*}}) : (f64, f64) -> f64
// CHECK-NEXT: [[SOME:%[a-z0-9_]+]] = algebra.apply add([[NONE]], %one) : (f64, f64) -> f64
// CHECK-NEXT: algebra.apply where({{.*}}, [[SOME]], %zero)
// CHECK: algebra.constant absent 0x{{[7f]ff8000000000000}} : f64
// CHECK-NEXT: [[NAN:%[a-z0-9_]+]] = algebra.constant absent 0x{{[7f]ff8000000000000}} : f64
// CHECK-NEXT: algebra.apply where({{.*}}, [[NAN]], %zero)
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
  %one = algebra.constant 1.0 : f64
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest live [0] {
  ^bb0(%i: index, %x: f64, %y: f64):
    "test.op"(%i) : (index) -> ()
    %positive = algebra.apply gt(%x, %zero) : (f64, f64) -> i1
    %none = algebra.apply mul(%zero, %y) : (f64, f64) -> f64
    %some = algebra.apply add(%none, %one) : (f64, f64) -> f64
    %chosen = algebra.apply where(%positive, %some, %zero) : (i1, f64, f64) -> f64
    iteration_lattice.update add %chosen into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#diagonals = #storage.format<(i, j) -> (j - i : dense, i : compressed, j : offset)>
!below = !storage.fiber<tensor<?x?xf64, #diagonals>, 2>
!nest = !iteration_lattice.looplet<!below>
// A level that finds its entry at the place of its parent, as offset does, has one for any: a select at each coordinate
// costs more than a body per case. There are more loops than a body per case is made for, were lists below.
// CHECK-LABEL: func.func @places
// CHECK: iteration_lattice.merge cases %lo to %hi
func.func @places(%A: tensor<?x?xf64, #diagonals>, %B: tensor<?x?xf64, #diagonals>, %qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  %a = iteration_lattice.stepper %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = storage.fill_fiber : !below
    %v = storage.fiber %A[%p to %after] : tensor<?x?xf64, #diagonals> -> !below
    %spike = iteration_lattice.spike %gap, %v : !below, !below -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %b = iteration_lattice.stepper %qb to %eb until %sb : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crdb[%p] : index
    %one = arith.constant 1 : index
    %end = arith.addi %at, %one : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %gap = storage.fill_fiber : !below
    %v = storage.fiber %B[%p to %after] : tensor<?x?xf64, #diagonals> -> !below
    %spike = iteration_lattice.spike %gap, %v : !below, !below -> !nest
    iteration_lattice.yield %spike : !nest
  }
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest live [0] {
  ^bb0(%i: index, %x: !below, %y: !below):
    %u = iteration_lattice.unfurl %x : !below -> !iteration_lattice.looplet<f64>
    iteration_lattice.coiterate unit %lo to %hi over %u : !iteration_lattice.looplet<f64> {
    ^bb1(%j: index, %v: f64):
      iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
    }
    %w = iteration_lattice.unfurl %y : !below -> !iteration_lattice.looplet<f64>
    iteration_lattice.coiterate unit %lo to %hi over %w : !iteration_lattice.looplet<f64> {
    ^bb2(%j: index, %v: f64):
      iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Each case has a copy of the inner loop: 16 x 3 x 2 loops are few enough.
// CHECK-LABEL: func.func @few_copies
// CHECK: iteration_lattice.merge cases %lo to
func.func @few_copies(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
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
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest live [0, 1] copies 16 {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.coiterate %lo to %hi copies 16 {
    ^bb0(%j: index):
      iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// 17 x 3 x 2 loops are too many: one loop serves all cases.
// CHECK-LABEL: func.func @many_copies
// CHECK: iteration_lattice.merge select %lo to
func.func @many_copies(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
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
  iteration_lattice.coiterate entered %lo to %hi over %a, %b : !nest, !nest live [0, 1] copies 17 {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply add(%x, %y) : (f64, f64) -> f64
    iteration_lattice.coiterate %lo to %hi copies 17 {
    ^bb0(%j: index):
      iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}
