// RUN: irtensor-opt %p/../../irtensor/runtime/loops/radix_sort.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/radix_sort.mlir -p lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @move
// LOOPS: loop.fill %{{.*}}, %counts[%{{.*}} to %{{.*}}] : i64
// LOOPS-LABEL: func.func @sort_parts
// LOOPS: func.call @move(%words, %moved, %words_other, %moved_other,
// LOOPS: func.call @move(%words_other, %moved_other, %words, %moved,

// The digit is taken out of the word twice: to count, and to move.
// CHECK-LABEL: llvm.func @move
// CHECK: llvm.lshr %{{.*}}, %shift : i64
// CHECK: llvm.and %{{.*}}, %mask : i64
// CHECK: llvm.lshr %{{.*}}, %shift : i64
// CHECK: llvm.and %{{.*}}, %mask : i64
// CHECK: llvm.getelementptr inbounds %words_to
// CHECK: llvm.getelementptr inbounds %moved_to
