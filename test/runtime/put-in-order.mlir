// RUN: irtensor-opt %p/../../irtensor/runtime/loops/put_in_order.mlir | irtensor-opt | filecheck %s --check-prefix=LOOPS
// RUN: irtensor-opt %p/../../irtensor/runtime/loops/put_in_order.mlir -p lower-loop-to-llvm | filecheck %s

// LOOPS-LABEL: func.func @put
// LOOPS: loop.store %{{.*}}, %to[%{{.*}}] : i64

// CHECK-LABEL: llvm.func @put
// CHECK: llvm.sext {{.*}} : i32 to i64
