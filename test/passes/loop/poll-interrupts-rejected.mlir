// Loops that are over before anybody could want them to end, and those whose iterations are too short for a question.
// RUN: irtensor-opt %s --split-input-file -p poll-interrupts | filecheck %s

// One that searches for a place.
// CHECK-LABEL: func.func @search
// CHECK-NOT: poll
func.func @search(%n: index, %y: !loop.buffer<index>) {
  %c2 = arith.constant 2 : index
  %low = loop.cell %n : index
  loop.while attributes {search} {
    %l = loop.get %low : index
    %more = arith.cmpi sgt, %l, %c2 : index
    loop.condition %more
  } do {
    %l = loop.get %low : index
    %half = arith.divsi %l, %c2 : index
    loop.set %half, %low : index
  }
  func.return
}

// -----

// One of few iterations, or over parts.
// CHECK-LABEL: func.func @few
// CHECK-NOT: poll
func.func @few(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  loop.for %i = %c0 to %c8 {
    loop.for %j = %c0 to %c8 {
      loop.store %i, %y[%j] : index
    }
  }
  %parts = loop.parts %n
  loop.for %i = %c0 to %parts {
    loop.for %j = %c0 to %c8 {
      loop.store %i, %y[%j] : index
    }
  }
  func.return
}

// -----

// LLVM makes vectors of what has no loops inside.
// CHECK-LABEL: func.func @flat
// CHECK-NOT: poll
func.func @flat(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {
    loop.store %i, %y[%i] : index
  }
  func.return
}

// -----

// Iterations that only go along the segments of what is stored.
// CHECK-LABEL: func.func @segments
// CHECK-NOT: poll
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
