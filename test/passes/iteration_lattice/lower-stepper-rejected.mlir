// RUN: irtensor-opt %s --split-input-file -p lower-stepper --verify-diagnostics | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// Unordered entries may be visited one by one where each only accumulates.
func.func @unordered_walk(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %a = iteration_lattice.stepper nonordered %qa to %ea until %sa : !loop.cell<index> -> !nest load {
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
  // CHECK-LABEL: func.func @unordered_walk
  // CHECK: iteration_lattice.walk
  iteration_lattice.coiterate full entered %lo to %sa over %a : !nest live [0] {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// They cannot be merged, which needs their order.
func.func @unordered_merge(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %qb: !loop.cell<index>, %eb: index, %sb: index, %crdb: !loop.buffer<index>, %valb: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %hi: index) {
  // expected-error @+1 {{[unordered-merge] an operand with unordered coordinates is combined with others}}
  %a = iteration_lattice.stepper nonordered %qa to %ea until %sa : !loop.cell<index> -> !nest load {
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
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Nor can the gaps between them be found.
func.func @unordered_gaps(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  // expected-error @+1 {{[unordered-merge]}}
  %a = iteration_lattice.stepper nonordered %qa to %ea until %sa : !loop.cell<index> -> !nest load {
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
// At a single coordinate a stepper is no list to walk along.
func.func @unit(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
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
  // CHECK-LABEL: func.func @unit
  // CHECK: iteration_lattice.coiterate unit
  iteration_lattice.coiterate unit %lo to %sa over %a : !nest {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// Where the value of a gap is not known, each combination of entries has a body: of so many operands there are too many.
!nest = !iteration_lattice.looplet<f64>
func.func @unknown_gaps(%q0: !loop.cell<index>, %q1: !loop.cell<index>, %q2: !loop.cell<index>, %q3: !loop.cell<index>, %q4: !loop.cell<index>, %q5: !loop.cell<index>, %q6: !loop.cell<index>, %q7: !loop.cell<index>, %q8: !loop.cell<index>, %crd: !loop.buffer<index>, %val: !loop.buffer<f64>, %gap: f64, %lo: index, %e: index, %s: index, %t: !loop.cell<f64>) {
  %n0 = iteration_lattice.stepper %q0 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n1 = iteration_lattice.stepper %q1 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n2 = iteration_lattice.stepper %q2 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n3 = iteration_lattice.stepper %q3 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n4 = iteration_lattice.stepper %q4 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n5 = iteration_lattice.stepper %q5 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n6 = iteration_lattice.stepper %q6 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n7 = iteration_lattice.stepper %q7 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  %n8 = iteration_lattice.stepper %q8 to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }
  // expected-error @+1 {{[too-many-cases]}}
  iteration_lattice.coiterate entered %lo to %s over %n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8 : !nest, !nest, !nest, !nest, !nest, !nest, !nest, !nest, !nest live [0, 1, 2, 3, 4, 5, 6, 7, 8] {
  ^bb0(%i: index, %x0: f64, %x1: f64, %x2: f64, %x3: f64, %x4: f64, %x5: f64, %x6: f64, %x7: f64, %x8: f64):
    %s1 = algebra.apply add(%x0, %x1) : (f64, f64) -> f64
    %s2 = algebra.apply add(%s1, %x2) : (f64, f64) -> f64
    %s3 = algebra.apply add(%s2, %x3) : (f64, f64) -> f64
    %s4 = algebra.apply add(%s3, %x4) : (f64, f64) -> f64
    %s5 = algebra.apply add(%s4, %x5) : (f64, f64) -> f64
    %s6 = algebra.apply add(%s5, %x6) : (f64, f64) -> f64
    %s7 = algebra.apply add(%s6, %x7) : (f64, f64) -> f64
    %s8 = algebra.apply add(%s7, %x8) : (f64, f64) -> f64
    iteration_lattice.update add %s8 into %t : f64, !loop.cell<f64>
  }
  func.return
}
