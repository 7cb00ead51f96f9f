// RUN: irtensor-opt %s --split-input-file -p lower-stepper | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// A sum that is only added up further may begin anew with each entry of a coordinate.
// CHECK-LABEL: func.func @from_zero
// CHECK:      iteration_lattice.walk
func.func @from_zero(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  %a = iteration_lattice.stepper nonunique %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
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
    %s = loop.cell %zero : f64
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
    %r = loop.get %s : f64
    iteration_lattice.update add %r into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A sum that begins with another number has to hold all entries of a coordinate.
// CHECK-LABEL: func.func @from_one
// CHECK:      iteration_lattice.merge
func.func @from_one(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  %a = iteration_lattice.stepper nonunique %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
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
    %s = loop.cell %one : f64
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
    %r = loop.get %s : f64
    iteration_lattice.update add %r into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// So has one that another operator combines further.
// CHECK-LABEL: func.func @product
// CHECK:      iteration_lattice.merge
func.func @product(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  %a = iteration_lattice.stepper nonunique %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
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
    %s = loop.cell %zero : f64
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
    %r = loop.get %s : f64
    iteration_lattice.update mul %r into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// The square of a sum is not the sum of squares.
// CHECK-LABEL: func.func @square
// CHECK:      iteration_lattice.merge
func.func @square(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  %a = iteration_lattice.stepper nonunique %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
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
    %s = loop.cell %zero : f64
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
    %r = loop.get %s : f64
    %q = algebra.apply mul(%r, %r) : (f64, f64) -> f64
    iteration_lattice.update add %q into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// What else is done with the sum is not known.
// CHECK-LABEL: func.func @read
// CHECK:      iteration_lattice.merge
func.func @read(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  %a = iteration_lattice.stepper nonunique %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
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
    %s = loop.cell %zero : f64
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
    "test.op"(%s) : (!loop.cell<f64>) -> ()
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
!row = !storage.fiber<tensor<?xf64>, 0>
!element = !storage.fiber<tensor<?xf64>, 1>
// A workspace for all entries of a coordinate is read when it has them all.
// CHECK-LABEL: func.func @workspace
// CHECK:      iteration_lattice.merge
func.func @workspace(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %n: index) {
  %w = storage.workspace(%n) : tensor<?xf64>
  %a = iteration_lattice.stepper nonunique %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %at = loop.load %crda[%p] : index
    %step = arith.constant 1 : index
    %end = arith.addi %at, %step : index
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
    %row = storage.initialize %w : tensor<?xf64> -> !row
    iteration_lattice.place %row at %lo : !row {
    ^bb0(%element: !element):
      iteration_lattice.update add %x into %element : f64, !element
    }
    %sums = storage.finalize %w : tensor<?xf64> -> !row
    %nest = iteration_lattice.unfurl %sums : !row -> !nest
    iteration_lattice.coiterate full %lo to %n over %nest : !nest {
    ^bb0(%j: index, %sum: f64):
      %q = algebra.apply abs(%sum) : (f64) -> f64
      iteration_lattice.update add %q into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}
