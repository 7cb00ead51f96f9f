// Loops that are over before anybody could want them to end.
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
