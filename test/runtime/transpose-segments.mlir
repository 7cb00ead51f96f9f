// RUN: irtensor-opt %p/../../irtensor/runtime/loops/transpose_segments.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/transpose_segments.mlir -p lower-prefix-sums,lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @check
// LOOPS-LABEL: func.func @count
// LOOPS-LABEL: func.func @sum
// LOOPS: loop.prefix_sum %ends[%{{.*}} to %{{.*}}] : i64
// LOOPS-LABEL: func.func @move

// CHECK-LABEL: llvm.func @check
// CHECK: llvm.icmp "sle"
// A coordinate outside of the extent is refused before anything is counted by it.
// CHECK-LABEL: llvm.func @count
// CHECK: llvm.icmp "ult" %{{.*}}, %extent : i64
// CHECK: llvm.getelementptr inbounds %ends
// CHECK-LABEL: llvm.func @sum
// CHECK-LABEL: llvm.func @move
// CHECK: llvm.getelementptr inbounds %numbers
// CHECK: llvm.getelementptr inbounds %moved
