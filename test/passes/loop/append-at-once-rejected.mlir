// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p append-at-once | filecheck %s

// Entries that some iterations append, and numbers of entries that each iteration has for itself.
// CHECK-LABEL: func.func @some(
// CHECK:       loop.for %p = %lo to %hi {
// CHECK-NEXT:    {{%.*}} = loop.load
// CHECK-NEXT:    loop.if {{.*}} {
// CHECK-NEXT:      loop.append %c1 to %n
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.append %p to %m
// CHECK-NEXT:  }
func.func @some(%lo: index, %hi: index, %y: !loop.buffer<i1>) {
  %c1 = arith.constant 1 : index
  %n = loop.counter
  %m = loop.counter
  loop.for %p = %lo to %hi {
    %here = loop.load %y[%p] : i1
    loop.if %here {
      loop.append %c1 to %n
    }
    loop.append %p to %m
  }
  func.return
}

// -----

// Counters that are read behind the entry, closed in the iteration, or appended to twice; and a parallel loop.
// CHECK-LABEL: func.func @uses(
// CHECK:       loop.for %p = %lo to %hi {
// CHECK-NEXT:    loop.append %c1 to %read
// CHECK-NEXT:    {{%.*}} = loop.count %read
// CHECK-NEXT:    loop.store
// CHECK-NEXT:    loop.append %c1 to %closed
// CHECK-NEXT:    loop.close
// CHECK-NEXT:    loop.append %c1 to %twice
// CHECK-NEXT:    loop.append %c1 to %twice
// CHECK-NEXT:  }
// CHECK-NEXT:  loop.for %p_1 = %lo to %hi attributes {parallel = "automatic"} {
// CHECK-NEXT:    loop.append %c1 to %twice
// CHECK-NEXT:  }
func.func @uses(%lo: index, %hi: index, %y: !loop.buffer<index>, %pos: !loop.buffer<index>) {
  %c1 = arith.constant 1 : index
  %read = loop.counter
  %closed = loop.counter
  %twice = loop.counter
  loop.for %p = %lo to %hi {
    loop.append %c1 to %read
    %q = loop.count %read
    loop.store %q, %y[%p] : index
    loop.append %c1 to %closed
    loop.close %pos[%p] at %closed : !loop.buffer<index>
    loop.append %c1 to %twice
    loop.append %c1 to %twice
  }
  loop.for %p = %lo to %hi attributes {parallel = "automatic"} {
    loop.append %c1 to %twice
  }
  func.return
}

// -----

// A loop over as many entries as a cell says.
// CHECK-LABEL: func.func @listed(
// CHECK:       loop.for %p = %lo to %end {
// CHECK-NEXT:    loop.append %c1 to %n
// CHECK-NEXT:  }
func.func @listed(%lo: index) {
  %c1 = arith.constant 1 : index
  %n = loop.counter
  %cell = loop.cell %lo : index
  %end = loop.get %cell : index
  loop.for %p = %lo to %end {
    loop.append %c1 to %n
  }
  func.return
}
