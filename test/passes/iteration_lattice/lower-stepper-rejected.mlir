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
  iteration_lattice.coiterate full %lo to %sa over %a : !nest live [0] {
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
  iteration_lattice.coiterate %lo to %hi over %a, %b : !nest, !nest live [0, 1] {
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
  iteration_lattice.coiterate full %lo to %sa over %a : !nest live [0] {
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
