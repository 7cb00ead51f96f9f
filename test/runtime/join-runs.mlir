// RUN: irtensor-opt %p/../../irtensor/runtime/loops/join_runs.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/join_runs.mlir -p lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @join
// LOOPS: loop.require %is_right else 2
// LOOPS: loop.store %{{.*}}, %new_ends[%{{.*}}] : i64

// Where the last run goes on, it is stored again with another end: no branch decides.
// CHECK-LABEL: llvm.func @join
// CHECK: llvm.getelementptr inbounds %new_ends[[[SLOT:%[0-9]+]]]
// CHECK: llvm.getelementptr inbounds %joined[[[SLOT]]]
