// RUN: irtensor-opt %p/../../irtensor/runtime/loops/check_positions.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/check_positions.mlir -p lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @check_positions
// LOOPS: loop.parallel %p = %zero to %end
// LOOPS: loop.atomic %wrong[%zero]

// CHECK-LABEL: llvm.func @check_positions
// A position is compared with the one before, and the first and the last one with what they have to be.
// CHECK: llvm.icmp "slt"
// CHECK: llvm.icmp "ne"
