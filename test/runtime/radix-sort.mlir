// RUN: irtensor-opt %p/../../irtensor/runtime/loops/radix_sort.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/radix_sort.mlir -p lower-prefix-sums,lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @move
// LOOPS: loop.prefix_sum %counts[%{{.*}} to %{{.*}}] : i64

// The digit is taken out of the word twice: to count, and to move.
// CHECK-LABEL: llvm.func @move
// CHECK: llvm.lshr %{{.*}}, %shift : i64
// CHECK: llvm.and %{{.*}}, %mask : i64
// CHECK: llvm.lshr %{{.*}}, %shift : i64
// CHECK: llvm.and %{{.*}}, %mask : i64
// CHECK: llvm.getelementptr inbounds %words_to
// CHECK: llvm.getelementptr inbounds %moved_to
