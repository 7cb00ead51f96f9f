// RUN: irtensor-opt %s --split-input-file -p lower-stepper | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// The condition says that nothing happens in gaps, so they are not visited.
// CHECK-LABEL: func.func @known
// CHECK:      iteration_lattice.walk {{.*}} to %ea {
// CHECK-NOT:  coiterate
// CHECK:        iteration_lattice.if %c {
// CHECK-NEXT:     iteration_lattice.update max %u into %t : f64, !loop.cell<f64>
// CHECK-NEXT:   } else {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NOT:  coiterate
func.func @known(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %u: f64) {
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
    %zero = algebra.constant 0.0 : f64
    %c = algebra.apply ne(%x, %zero) : (f64, f64) -> i1
    iteration_lattice.if %c {
      iteration_lattice.update max %u into %t : f64, !loop.cell<f64>
    } else {
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// The same the other way round: what happens, happens in gaps, and they are visited.
// CHECK-LABEL: func.func @known_in_gaps
// CHECK:      iteration_lattice.walk {{.*}} to %ea {
// CHECK:        iteration_lattice.coiterate {{.*}} to %end over %spike
// CHECK:          iteration_lattice.if %c {
func.func @known_in_gaps(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %u: f64) {
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
    %zero = algebra.constant 0.0 : f64
    %c = algebra.apply ne(%x, %zero) : (f64, f64) -> i1
    iteration_lattice.if %c {
    } else {
      iteration_lattice.update max %u into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Whichever branch runs, adding a gap's 0 does nothing.
// CHECK-LABEL: func.func @unknown
// CHECK:      iteration_lattice.walk {{.*}} to %ea {
// CHECK-NOT:  coiterate
// CHECK:        iteration_lattice.if %flag {
// CHECK-NEXT:     iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
// CHECK-NEXT:   } else {
// CHECK:          iteration_lattice.update add {{.*}} into %t : f64, !loop.cell<f64>
// CHECK-NOT:  coiterate
func.func @unknown(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %flag: i1, %u: f64) {
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
    %q = algebra.apply mul(%x, %u) : (f64, f64) -> f64
    iteration_lattice.if %flag {
      iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
    } else {
      iteration_lattice.update add %q into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// One of the branches does something in gaps, and which one runs is not known.
// CHECK-LABEL: func.func @unknown_in_gaps
// CHECK:      iteration_lattice.walk {{.*}} to %ea {
// CHECK:        iteration_lattice.coiterate {{.*}} to %end over %spike
// CHECK:          iteration_lattice.if %flag {
func.func @unknown_in_gaps(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %flag: i1, %u: f64) {
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
    %q = algebra.apply add(%x, %u) : (f64, f64) -> f64
    iteration_lattice.if %flag {
      iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
    } else {
      iteration_lattice.update max %q into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A loop that is lowered already is taken to do something in gaps as well.
// CHECK-LABEL: func.func @lowered
// CHECK:      iteration_lattice.walk {{.*}} to %ea {
// CHECK:        iteration_lattice.coiterate {{.*}} to %end over %spike
// CHECK:          loop.for %part = %lo to %sa {
func.func @lowered(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
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
    loop.for %part = %lo to %sa {
      iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// What it may have stored in a temporary is not known afterwards: the sum of a gap's iteration need not be 0.
// CHECK-LABEL: func.func @changed
// CHECK:      iteration_lattice.walk {{.*}} to %ea {
// CHECK:        iteration_lattice.coiterate {{.*}} to %end over %spike
// CHECK:          iteration_lattice.update add %r into %t : f64, !loop.cell<f64>
func.func @changed(%qa: !loop.cell<index>, %ea: index, %sa: index, %crda: !loop.buffer<index>, %vala: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index, %u: f64) {
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
    %s = loop.cell %x : f64
    loop.for %part = %lo to %sa {
      iteration_lattice.update add %u into %s : f64, !loop.cell<f64>
      loop.set %u, %s : f64
    }
    %r = loop.get %s : f64
    iteration_lattice.update add %r into %t : f64, !loop.cell<f64>
  }
  func.return
}
