// RUN: irtensor-opt %p/../../../passes/llvm/loops/maps.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../../passes/llvm/loops/maps.mlir -p lower-prefix-sums,lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @irtensor.map.change
// LOOPS-LABEL: func.func @irtensor.map.widen
// LOOPS: loop.reserve %table, %{{.*}} : i64
// LOOPS-LABEL: func.func @irtensor.map.list
// LOOPS-LABEL: func.func private @irtensor.map.sort
// LOOPS-LABEL: func.func private @irtensor.map.distribute
// LOOPS: loop.prefix_sum %counts[%{{.*}} to %{{.*}}] : i64
// LOOPS-LABEL: func.func private @irtensor.map.group
// LOOPS: loop.prefix_sum %positions[%{{.*}} to %parents] : i64

// Kernels call these by their names, and pass a condition as a byte.
// CHECK-LABEL: llvm.func @irtensor.map.change(
// CHECK-SAME: i8 {llvm.noundef}
// Without memory, nothing is changed: the status is that of the function that has looked for some.
// CHECK-LABEL: llvm.func @irtensor.map.widen(
// CHECK: llvm.call @irtensor.reserve
// CHECK: llvm.call @irtensor.map.change
// CHECK-LABEL: llvm.func @irtensor.map.list(
// CHECK: llvm.call @irtensor.map.sort
// CHECK: llvm.call @irtensor.map.distribute
// CHECK: llvm.call @irtensor.map.group
// CHECK-LABEL: llvm.func internal @irtensor.map.sort
