// RUN: irtensor-opt --lower-loop-to-llvm %s | filecheck %s

// The body of a parallel loop is a function, which the runtime calls for each turn, on the pool's threads if there are
// several. What it uses is passed in a structure; constants are made again in it. The last argument says which threads there are.
// Functions without loops of their own are left as they are, so that LLVM spends no time on them.
// CHECK-LABEL: llvm.func @parallel(
// CHECK-SAME: %threads: !llvm.ptr
// CHECK-SAME: optimize_none
// CHECK-SAME: ["irtensor-threads", "last-argument"]
// CHECK: [[CAPTURED:%.*]] = llvm.alloca %{{.*}} x !llvm.struct<(!llvm.ptr, f64, !llvm.ptr)>
// CHECK: llvm.insertvalue %x, %{{.*}}[0]
// CHECK: [[BODY:%.*]] = llvm.mlir.addressof @irtensor.turn.0.captured
// CHECK: [[STATUS:%.*]] = llvm.call @irtensor.run_turns(%threads, [[BODY]], [[CAPTURED]], %{{.*}}, %{{.*}})
// CHECK: llvm.icmp "ne" [[STATUS]]
// CHECK: llvm.func internal @irtensor.turn.0(
// CHECK-SAME: !llvm.ptr {llvm.noalias, llvm.nonnull, llvm.noundef}
// CHECK-SAME: attributes {no_unwind, no_inline}
// CHECK: llvm.mlir.constant(2.000000e+00 : f64)
// CHECK: llvm.func internal @irtensor.turn.0.captured(
// CHECK-SAME: optimize_none
// CHECK: llvm.call @irtensor.turn.0(
func.func @parallel(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2.0 : f64
  %cell = loop.cell %two : f64
  loop.parallel %i = %zero to %n {
    %v = loop.load %x[%i] : f64
    %s = loop.get %cell : f64
    %w = arith.mulf %v, %s : f64
    %u = arith.mulf %w, %two : f64
    loop.store %u, %y[%i] : f64
  }
  func.return
}
