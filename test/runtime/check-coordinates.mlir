// RUN: irtensor-opt %p/../../irtensor/runtime/loops/check_coordinates.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/check_coordinates.mlir -p lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @check_coordinates
// Coordinates first, each beside the one before in the whole list.
// LOOPS: loop.parallel %part = %zero to %parts
// LOOPS: loop.atomic %wrong[%zero]
// LOOPS: loop.atomic %wrong[%one]
// Then segments, whose first coordinates may be less than those before.
// LOOPS: loop.parallel %part{{.*}} = %zero to %segment_parts
// LOOPS: loop.atomic %wrong[%one]

// CHECK-LABEL: llvm.func @check_coordinates
// CHECK: llvm.icmp "sge"
// CHECK: llvm.icmp "sle"
