// RUN: irtensor-opt --lower-loop-to-llvm %s | filecheck %s

// A loop with `poll` counts turns, and asks what the caller passes whether to go on; if not, it leaves the function with
// a status of its own. The first question comes after the first turn, and says when the next one is due.
// CHECK-LABEL: llvm.func @polled(
// CHECK-SAME: %threads: !llvm.ptr
// CHECK-SAME: ["irtensor-threads", "last-argument"]
// CHECK: [[PACE:%.*]] = llvm.alloca %{{.*}} x !llvm.array<5 x i64>
// CHECK: [[STOPPED:%.*]] = llvm.mlir.constant(-1 : i32)
// CHECK: llvm.store %threads, %{{.*}}
// CHECK: llvm.sub
// CHECK: [[TURNS:%.*]] = llvm.call preserve_mostcc @irtensor.poll([[PACE]])
// CHECK: llvm.icmp "eq" [[TURNS]]
// CHECK-NEXT: llvm.cond_br %{{.*}}, ^bb{{[0-9]+}}([[STOPPED]] : i32), ^bb
func.func @polled(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n attributes {poll = 7 : i64} {
    loop.store %i, %y[%i] : index
  }
  func.return
}

// With `strip`, a loop around the loop has the questions: the iterations of a strip are those of any other loop.
// CHECK-LABEL: llvm.func @strips(
// CHECK-SAME: [[N:%[a-z_0-9]*]]: i64
// CHECK: llvm.cond_br %{{.*}}, ^[[STRIP:bb[0-9]+]]([[FIRST:%.*]] : i64), ^[[AFTER:bb[0-9]+]]
// CHECK: ^[[STRIP]]([[START:%.*]]: i64):
// CHECK-NEXT: [[REST:%.*]] = llvm.sub [[N]], [[START]]
// CHECK-NEXT: [[LEFT:%.*]] = llvm.load
// CHECK-NEXT: [[SHORT:%.*]] = llvm.icmp "slt" [[LEFT]], [[REST]]
// CHECK-NEXT: [[LENGTH:%.*]] = llvm.select [[SHORT]], [[LEFT]], [[REST]]
// CHECK-NEXT: [[END:%.*]] = llvm.add [[START]], [[LENGTH]]
// CHECK-NEXT: llvm.br ^[[BODY:bb[0-9]+]]([[START]] : i64)
// CHECK: ^[[BODY]]([[I:%.*]]: i64):
// CHECK: llvm.store [[I]]
// CHECK: llvm.icmp "slt" %{{.*}}, [[END]]
// CHECK-NEXT: llvm.cond_br %{{.*}}, ^[[BODY]](%{{.*}} : i64), ^[[DONE:bb[0-9]+]]
// CHECK: ^[[DONE]]:
// CHECK-NEXT: [[MORE:%.*]] = llvm.icmp "slt" [[END]], [[N]]
// CHECK-NEXT: llvm.cond_br [[MORE]], ^[[ASKED:bb[0-9]+]], ^[[AFTER]]
// CHECK: ^[[ASKED]]:
// CHECK: llvm.call preserve_mostcc @irtensor.poll(
// CHECK: llvm.br ^[[STRIP]]([[END]] : i64)
func.func @strips(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n attributes {poll = 65536 : i64, strip = 64 : i64} {
    loop.store %i, %y[%i] : index
  }
  func.return
}

// The count of an inner loop's iterations begins before the outer loop: many short runs of it are counted as a long one.
// CHECK-LABEL: llvm.func @nested(
// CHECK: [[INNER:%.*]] = llvm.alloca %{{.*}} x !llvm.array<5 x i64>
// CHECK: [[MOST:%.*]] = llvm.mlir.constant(9) : i64
// CHECK: [[OUTER:%.*]] = llvm.alloca %{{.*}} x !llvm.array<5 x i64>
// CHECK: llvm.store [[MOST]]
// CHECK: llvm.cond_br
// CHECK-NOT: llvm.store [[MOST]]
// CHECK: llvm.call preserve_mostcc @irtensor.poll([[OUTER]])
// CHECK-NOT: llvm.store [[MOST]]
// CHECK: llvm.call preserve_mostcc @irtensor.poll([[INNER]])
func.func @nested(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n attributes {poll = 7 : i64} {
    loop.for %j = %zero to %n attributes {poll = 9 : i64} {
      loop.store %j, %y[%i] : index
    }
  }
  func.return
}

// In a part, the thread's own context is asked: that of a thread of the pool knows whether another part has failed.
// CHECK-LABEL: llvm.func @parts(
// CHECK: llvm.func internal @irtensor.turn.0(
// CHECK: llvm.call preserve_mostcc @irtensor.poll(
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
