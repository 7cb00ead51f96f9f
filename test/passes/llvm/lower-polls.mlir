// RUN: irtensor-opt --lower-loop-to-llvm %s | filecheck %s

// A loop with `poll` counts iterations, and asks what the caller passes whether to go on; if not, it leaves the function with
// a status of its own. The first question comes after the first one, and says when the next one is due.
// CHECK-LABEL: llvm.func @polled(
// CHECK-SAME: %threads: !llvm.ptr
// CHECK-SAME: ["irtensor-threads", "last-argument"]
// CHECK: [[PACE:%.*]] = llvm.alloca %{{.*}} x !llvm.array<5 x i64>
// CHECK: [[STOPPED:%.*]] = llvm.mlir.constant(-1 : i32)
// CHECK: llvm.store %threads, %{{.*}}
// CHECK: llvm.sub
// CHECK: [[ITERATIONS:%.*]] = llvm.call preserve_mostcc @irtensor.poll([[PACE]])
// CHECK: llvm.icmp "eq" [[ITERATIONS]]
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

// Loops that ask share one count, which begins before all of them: many short runs of a loop count as a long one.
// CHECK-LABEL: llvm.func @nested(
// CHECK: [[PACE:%.*]] = llvm.alloca %{{.*}} x !llvm.array<5 x i64>
// CHECK-NOT: llvm.array<5 x i64>
// CHECK: [[COUNT:%.*]] = llvm.alloca %{{[0-9]+}} x i64
// CHECK: llvm.store %{{.*}}, [[COUNT]]
// CHECK: llvm.sub
// CHECK: llvm.icmp "slt"
// CHECK: llvm.call preserve_mostcc @irtensor.poll([[PACE]])
// CHECK: llvm.store %{{.*}}, [[COUNT]]
// CHECK: llvm.sub
// CHECK: llvm.icmp "slt"
// CHECK: llvm.call preserve_mostcc @irtensor.poll([[PACE]])
func.func @nested(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n attributes {poll = 7 : i64} {
    loop.for %j = %zero to %n attributes {poll = 9 : i64} {
      loop.store %j, %y[%i] : index
    }
  }
  func.return
}

// A loop with `counts_to_poll` adds its length to that count, if it has any iterations; a merge adds each iteration.
// CHECK-LABEL: llvm.func @counted(
// CHECK-SAME: [[M:%[a-z_0-9]*]]: i64
// CHECK: [[COUNTER:%.*]] = llvm.alloca %{{[0-9]+}} x i64
// CHECK: llvm.call preserve_mostcc @irtensor.poll(
// CHECK: llvm.cond_br %{{.*}}, ^[[ENTERED:bb[0-9]+]], ^
// CHECK: ^[[ENTERED]]:
// CHECK-NEXT: [[LENGTH:%.*]] = llvm.sub [[M]]
// CHECK-NEXT: [[BEFORE:%.*]] = llvm.load [[COUNTER]]
// CHECK-NEXT: [[AFTERWARDS:%.*]] = llvm.sub [[BEFORE]], [[LENGTH]]
// CHECK-NEXT: llvm.store [[AFTERWARDS]], [[COUNTER]]
// CHECK-NEXT: llvm.br
// CHECK: llvm.store %{{.*}}, %{{.*}} : i64
// CHECK: [[MERGED:%.*]] = llvm.load [[COUNTER]]
// CHECK-NEXT: [[FEWER:%.*]] = llvm.sub [[MERGED]], %{{.*}}
// CHECK-NEXT: llvm.store [[FEWER]], [[COUNTER]]
// CHECK-NOT: @irtensor.poll(
// CHECK: llvm.return
func.func @counted(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.for %i = %zero to %n attributes {poll = 7 : i64} {
    loop.for %j = %zero to %n attributes {counts_to_poll} {
      loop.store %j, %y[%i] : index
    }
    %at = loop.cell %zero : index
    loop.while attributes {counts_to_poll} {
      %p = loop.get %at : index
      %more = arith.cmpi slt, %p, %n : index
      loop.condition %more
    } do {
      %p = loop.get %at : index
      %q = arith.addi %p, %one : index
      loop.set %q, %at : index
    }
  }
  func.return
}

// In a part, the thread's own context is asked: that of a thread of the pool knows whether another part has failed.
// CHECK-LABEL: llvm.func @parts(
// CHECK: llvm.func internal @irtensor.iteration.0(
// CHECK: llvm.call preserve_mostcc @irtensor.poll(
// CHECK: llvm.func internal @irtensor.iteration.0.captured(%{{.*}}: !llvm.ptr {llvm.noundef}, %{{.*}}: i64 {llvm.noundef}, [[OWN:%[a-z_0-9]*]]: !llvm.ptr {llvm.noundef})
// CHECK: llvm.call @irtensor.iteration.0({{.*}}, [[OWN]])
func.func @parts(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %part = %zero to %n {
    loop.for %i = %zero to %n attributes {poll = 7 : i64} {
      loop.store %i, %y[%part] : index
    }
  }
  func.return
}
