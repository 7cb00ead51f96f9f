// The options of a pass in each spelling: as text of a pipeline and as value of the pass's own flag.
// RUN: irtensor-opt %s --pass-pipeline='builtin.module(scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,2})' | filecheck %s
// RUN: irtensor-opt %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,2},cse' | filecheck %s
// RUN: irtensor-opt %s --scf-parallel-loop-tiling='parallel-loop-tile-sizes=4,2' | filecheck %s
// RUN: irtensor-opt %s -scf-parallel-loop-tiling='{parallel-loop-tile-sizes=4,2}' | filecheck %s

// CHECK-LABEL: func.func @tile
func.func @tile(%n : index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: arith.constant 4 : index
  // CHECK-DAG: arith.constant 2 : index
  // CHECK: "scf.parallel"
  // CHECK: "scf.parallel"
  "scf.parallel"(%c0, %c0, %n, %n, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^body(%i : index, %j : index):
    "test.op"(%i, %j) : (index, index) -> ()
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}
