// RUN: irtensor-opt --lower-loop-to-llvm %s | filecheck %s

// A loop with `poll` counts turns, and asks what the caller passes whether to go on; if not, it leaves the function with
// a status of its own. The first question comes after the first turn, and says when the next one is due.
// CHECK-LABEL: llvm.func @polled(
// CHECK-SAME: %threads: !llvm.ptr
// CHECK-SAME: ["irtensor-threads", "last-argument"]
// CHECK: [[PACE:%.*]] = llvm.alloca %{{.*}} x !llvm.array<3 x i64>
// CHECK: [[STOPPED:%.*]] = llvm.mlir.constant(-1 : i32)
// CHECK: llvm.store %{{.*}}, [[PACE]]
// CHECK: llvm.sub
// CHECK: [[TURNS:%.*]] = llvm.call @irtensor.poll(%threads, [[PACE]], %{{.*}})
// CHECK: llvm.icmp "eq" [[TURNS]]
// CHECK-NEXT: llvm.cond_br %{{.*}}, ^bb{{[0-9]+}}([[STOPPED]] : i32), ^bb
func.func @polled(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n attributes {poll = 7 : i64} {
    loop.store %i, %y[%i] : index
  }
  func.return
}

// In a part, the thread's own context is asked: that of a thread of the pool knows whether another part has failed.
// CHECK-LABEL: llvm.func @parts(
// CHECK: llvm.func internal @irtensor.turn.0(
// CHECK: llvm.call @irtensor.poll(
// CHECK: llvm.func internal @irtensor.turn.0.captured(%{{.*}}: !llvm.ptr {llvm.noundef}, %{{.*}}: i64 {llvm.noundef}, [[OWN:%[a-z_0-9]*]]: !llvm.ptr {llvm.noundef})
// CHECK: llvm.call @irtensor.turn.0({{.*}}, [[OWN]])
func.func @parts(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %part = %zero to %n {
    loop.for %i = %zero to %n attributes {poll = 7 : i64} {
      loop.store %i, %y[%part] : index
    }
  }
  func.return
}
