// RUN: irtensor-opt %s --split-input-file -p poll-interrupts | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'poll-interrupts{turns=16}' | filecheck %s --check-prefix=OFTEN

// The outermost loop asks whether to go on; what is inside knows nothing of it.
// CHECK-LABEL: func.func @nested
// CHECK: loop.for %i = %{{.*}} to %n attributes {poll = 4096 : i64} {
// CHECK: loop.for %j = %{{.*}} to %n {
// OFTEN-LABEL: func.func @nested
// OFTEN: attributes {poll = 16 : i64}
func.func @nested(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {
    loop.for %j = %c0 to %n {
      loop.store %j, %y[%i] : index
    }
  }
  func.return
}

// -----

// A loop that merges; a part that threads run; a loop behind a condition, or in one of a few turns.
// CHECK-LABEL: func.func @others
// CHECK: loop.while attributes {poll = 4096 : i64} {
// CHECK: loop.parallel
// CHECK-NEXT: loop.for %{{.*}} to %n attributes {poll = 4096 : i64} {
// CHECK: loop.if
// CHECK-NEXT: loop.for %{{.*}} to %c2 {
// CHECK-NEXT: loop.for %{{.*}} to %n attributes {poll = 4096 : i64} {
func.func @others(%n: index, %y: !loop.buffer<index>, %b: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %at = loop.cell %c0 : index
  loop.while {
    %p = loop.get %at : index
    %more = arith.cmpi slt, %p, %n : index
    loop.condition %more
  } do {
    %p = loop.get %at : index
    %q = arith.addi %p, %c1 : index
    loop.for %i = %c0 to %n {
      loop.store %i, %y[%p] : index
    }
    loop.set %q, %at : index
  }
  loop.parallel %part = %c0 to %n {
    loop.for %i = %c0 to %n {
      loop.for %j = %c0 to %n {
        loop.store %i, %y[%j] : index
      }
    }
  }
  loop.if %b {
    loop.for %i = %c0 to %c2 {
      loop.for %j = %c0 to %n {
        loop.for %k = %c0 to %n {
          loop.store %i, %y[%k] : index
        }
      }
    }
  }
  func.return
}
