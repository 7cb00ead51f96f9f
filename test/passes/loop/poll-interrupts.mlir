// RUN: irtensor-opt %s --split-input-file -p poll-interrupts | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'poll-interrupts{strip=16}' | filecheck %s --check-prefix=OFTEN
// RUN: irtensor-opt %s --split-input-file -p 'poll-interrupts{innermost=true}' | filecheck %s --check-prefix=ALL

// The outermost loop asks whether to go on, and the innermost one where it may be long. Else its iterations are counted.
// CHECK-LABEL: func.func @nested
// CHECK: loop.for %i = %{{.*}} to %n attributes {poll = 65536 : i64} {
// CHECK: loop.for %j = %{{.*}} to %n attributes {counts_to_poll} {
// OFTEN-LABEL: func.func @nested
// OFTEN: attributes {poll = 16 : i64}
// ALL-LABEL: func.func @nested
// ALL: loop.for %i = %{{.*}} to %n attributes {poll = 65536 : i64} {
// ALL: loop.for %j = %{{.*}} to %n attributes {poll = 65536 : i64, strip = 16384 : i64} {
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

// A loop that merges; a part that threads run; a loop behind a condition, or in one of a few iterations.
// CHECK-LABEL: func.func @others
// CHECK: loop.while attributes {poll = 65536 : i64} {
// CHECK: loop.parallel
// CHECK-NEXT: loop.for %{{.*}} to %n attributes {poll = 65536 : i64} {
// CHECK: loop.if
// CHECK-NEXT: loop.for %{{.*}} to %c2 {
// CHECK-NEXT: loop.for %{{.*}} to %n attributes {poll = 65536 : i64} {
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

// -----

// A loop between the outermost and the innermost one asks, unless it has few iterations; so does a merge.
// CHECK-LABEL: func.func @middle
// CHECK: loop.for %i = %{{.*}} to %n attributes {poll = 65536 : i64} {
// CHECK-NEXT: loop.for %j = %{{.*}} to %n attributes {poll = 65536 : i64} {
// CHECK-NEXT: loop.for %k = %{{.*}} to %c2 {
// CHECK-NEXT: loop.for %l = %{{.*}} to %n attributes {counts_to_poll} {
// ALL-LABEL: func.func @middle
// ALL: loop.for %l = %{{.*}} to %n attributes {poll = 65536 : i64, strip = 16384 : i64} {
// ALL: loop.while attributes {poll = 65536 : i64, strip = 16384 : i64} {
func.func @middle(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  loop.for %i = %c0 to %n {
    loop.for %j = %c0 to %n {
      loop.for %k = %c0 to %c2 {
        loop.for %l = %c0 to %n {
          loop.store %k, %y[%l] : index
        }
      }
    }
    %at = loop.cell %c0 : index
    loop.while {
      %p = loop.get %at : index
      %more = arith.cmpi slt, %p, %n : index
      loop.condition %more
    } do {
      %p = loop.get %at : index
      %q = arith.addi %p, %c1 : index
      loop.store %p, %y[%p] : index
      loop.set %q, %at : index
    }
  }
  func.return
}

// -----

// What has no loops inside asks between strips, of which LLVM makes vectors.
// CHECK-LABEL: func.func @flat
// CHECK: loop.for %i = %{{.*}} to %n attributes {poll = 65536 : i64, strip = 65536 : i64} {
func.func @flat(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {
    loop.store %i, %y[%i] : index
  }
  func.return
}

// -----

// Iterations that only go along the segments of what is stored: some may be long, so that the first strip is short.
// CHECK-LABEL: func.func @segments
// CHECK: loop.for %i = %{{.*}} to %n attributes {poll = 4096 : i64, strip = 16 : i64} {
// CHECK: loop.for %{{.*}} to %end {
func.func @segments(%n: index, %pos: !loop.buffer<index>, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %n {
    %after = arith.addi %i, %c1 : index
    %begin = loop.load %pos[%i] : index
    %end = loop.load %pos[%after] : index
    loop.for %p = %begin to %end {
      loop.store %i, %y[%p] : index
    }
  }
  func.return
}

// -----

// A loop that merges counts its iterations; the first question comes after as many.
// CHECK-LABEL: func.func @merge
// CHECK: loop.while attributes {poll = 65536 : i64, strip = 16 : i64} {
func.func @merge(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = loop.cell %c0 : index
  loop.while {
    %p = loop.get %at : index
    %more = arith.cmpi slt, %p, %n : index
    loop.condition %more
  } do {
    %p = loop.get %at : index
    %q = arith.addi %p, %c1 : index
    loop.store %p, %y[%p] : index
    loop.set %q, %at : index
  }
  func.return
}

// -----

// A loop of no more iterations than a small number, as along the edge of a block, is no place to stop at.
// CHECK-LABEL: func.func @edge
// CHECK: loop.for %i = {{.*}} attributes {poll = 65536 : i64, strip = 65536 : i64} {
// CHECK: loop.for %k = %c0 to %few {
func.func @edge(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  loop.for %i = %c0 to %n {
    %left = arith.subi %n, %i : index
    %few = arith.minsi %c4, %left : index
    loop.for %k = %c0 to %few {
      %at = arith.addi %i, %k : index
      loop.store %k, %y[%at] : index
    }
  }
  func.return
}

// -----

// Nor is a row that is shorter than a vector: the entries are counted, as those of a loop without others inside.
// CHECK-LABEL: func.func @short_rows
// CHECK: loop.for %i = {{.*}} attributes {poll = 65536 : i64} {
// CHECK: loop.for %k = %c0 to %n attributes {poll = 65536 : i64} {
// CHECK: loop.for %p = %c0 to %n attributes {counts_to_poll} {
// CHECK: loop.for %j = %c0 to %few attributes {short} {
func.func @short_rows(%n: index, %few: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {
    loop.for %k = %c0 to %n {
      loop.for %p = %c0 to %n {
        loop.for %j = %c0 to %few attributes {short} {
          %at = arith.addi %i, %j : index
          loop.store %k, %y[%at] : index
        }
      }
    }
  }
  func.return
}
