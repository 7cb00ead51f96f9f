// RUN: irtensor-opt %p/../../irtensor/runtime/loops/counting_sort.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/counting_sort.mlir -p lower-prefix-sums,lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @sort
// LOOPS: loop.require %{{.*}} else 2
// LOOPS: loop.prefix_sum %ends[%{{.*}} to %extent] : i64

// A key outside of the extent is refused before anything is counted by it.
// CHECK-LABEL: llvm.func @sort
// CHECK: llvm.icmp "ult" %{{.*}}, %extent : i64
// CHECK: llvm.getelementptr inbounds %counts
// CHECK: llvm.call_intrinsic "llvm.memcpy
// CHECK: llvm.trunc {{.*}} : i64 to i32
// CHECK-NEXT: llvm.getelementptr inbounds %positions
