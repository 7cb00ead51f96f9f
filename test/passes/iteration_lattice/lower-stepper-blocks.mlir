// RUN: irtensor-opt %s --split-input-file -p lower-stepper | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// Blocks with gaps before them in which nothing happens: each loop begins with its block, the first with the range at
// the earliest. Nothing is handed on from one block to the next, so that the loop over blocks alone keeps the mark.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: loop.cell %lo
// CHECK:     iteration_lattice.walk %{{.*}} to %ea {
// CHECK:     ^bb0(%p: index):
// CHECK:       %[[FIRST:.*]] = arith.maxsi %lo, %begin : index
// CHECK:       iteration_lattice.coiterate %[[FIRST]] to %end over %block : !iteration_lattice.looplet<f64> {
// CHECK:         iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
// CHECK-NEXT:  }
// CHECK-NEXT:  } {parallel = "automatic"}
func.func @blocks(%qa: !loop.cell<index>, %ea: index, %sa: index, %beg: !loop.buffer<index>, %crd: !loop.buffer<index>, %vals: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %a = iteration_lattice.stepper  %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %end = loop.load %crd[%p] : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %zero = algebra.constant 0.0 : f64
    %gap = iteration_lattice.run %zero : f64 -> !nest
    %block = iteration_lattice.lookup !nest {
    ^bb0(%i: index):
      %v = loop.load %vals[%i] : f64
      iteration_lattice.yield %v : f64
    }
    %begin = loop.load %beg[%p] : index
    %chunk = iteration_lattice.sequence inside until %begin nests %gap, %block : !nest, !nest -> !nest
    iteration_lattice.yield %chunk : !nest
  }
  iteration_lattice.coiterate full entered %lo to %sa over %a : !nest live [0] {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  } {parallel = "automatic"}
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Where gaps count, and where a chunk says nothing of its ends, each chunk begins where the one before ends.
// CHECK-LABEL: func.func @gaps
// CHECK:     %[[C:.*]] = loop.cell %lo : index
// CHECK:     iteration_lattice.walk
// CHECK:       %[[AT:.*]] = loop.get %[[C]] : index
// CHECK:       iteration_lattice.coiterate %[[AT]] to %end over %chunk
// CHECK:     %[[D:.*]] = loop.cell %lo : index
// CHECK:     iteration_lattice.walk
// CHECK:       %[[FROM:.*]] = loop.get %[[D]] : index
// CHECK:       iteration_lattice.coiterate %[[FROM]] to %end_1 over %chunk_1
func.func @gaps(%qa: !loop.cell<index>, %ea: index, %sa: index, %beg: !loop.buffer<index>, %crd: !loop.buffer<index>, %vals: !loop.buffer<f64>, %t: !loop.cell<f64>, %lo: index) {
  %a = iteration_lattice.stepper  %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %end = loop.load %crd[%p] : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %zero = algebra.constant 0.0 : f64
    %gap = iteration_lattice.run %zero : f64 -> !nest
    %v = loop.load %vals[%p] : f64
    %run = iteration_lattice.run %v : f64 -> !nest
    %begin = loop.load %beg[%p] : index
    %chunk = iteration_lattice.sequence inside until %begin nests %gap, %run : !nest, !nest -> !nest
    iteration_lattice.yield %chunk : !nest
  }
  iteration_lattice.coiterate full entered %lo to %sa over %a : !nest live [0] {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update max %x into %t : f64, !loop.cell<f64>
  }
  %b = iteration_lattice.stepper  %qa to %ea until %sa : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %end = loop.load %crd[%p] : index
    iteration_lattice.yield %end : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %zero = algebra.constant 0.0 : f64
    %gap = iteration_lattice.run %zero : f64 -> !nest
    %v = loop.load %vals[%p] : f64
    %run = iteration_lattice.run %v : f64 -> !nest
    %begin = loop.load %beg[%p] : index
    %chunk = iteration_lattice.sequence until %begin nests %gap, %run : !nest, !nest -> !nest
    iteration_lattice.yield %chunk : !nest
  }
  iteration_lattice.coiterate full entered %lo to %sa over %b : !nest live [0] {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %t : f64, !loop.cell<f64>
  }
  func.return
}
