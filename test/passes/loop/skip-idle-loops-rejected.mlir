// RUN: irtensor-opt %s --split-input-file -p skip-idle-loops | filecheck %s

// An iteration does something else as well.
// CHECK-LABEL: func.func @other_work
// CHECK-NOT: loop.if
func.func @other_work(%pos: !loop.buffer<index>, %other: !loop.buffer<index>, %out: !loop.buffer<index>, %k: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %k, %one : index
  loop.for %p = %zero to %n {
    %b0 = loop.load %pos[%k] : index
    %e0 = loop.load %pos[%next] : index
    %q = loop.cell %b0 : index
    %b1 = loop.load %other[%p] : index
    %r = loop.cell %b1 : index
    loop.while {
      %x = loop.get %q : index
      %c = arith.cmpi slt, %x, %e0 : index
      %y = loop.get %r : index
      %d = arith.cmpi slt, %y, %n : index
      %both = arith.andi %c, %d : i1
      loop.condition %both
    } do {
      %x = loop.get %q : index
      loop.store %x, %out[%x] : index
      %up = arith.addi %x, %one : index
      loop.set %up, %q : index
    }
    loop.store %p, %out[%p] : index
  }
  func.return
}

// -----

// Each iteration has another list.
// CHECK-LABEL: func.func @own_list
// CHECK-NOT: loop.if
func.func @own_list(%pos: !loop.buffer<index>, %other: !loop.buffer<index>, %out: !loop.buffer<index>, %k: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %k, %one : index
  loop.for %p = %zero to %n {
    %b0 = loop.load %pos[%p] : index
    %e0 = loop.load %pos[%next] : index
    %q = loop.cell %b0 : index
    %b1 = loop.load %other[%p] : index
    %r = loop.cell %b1 : index
    loop.while {
      %x = loop.get %q : index
      %c = arith.cmpi slt, %x, %e0 : index
      %y = loop.get %r : index
      %d = arith.cmpi slt, %y, %n : index
      %both = arith.andi %c, %d : i1
      loop.condition %both
    } do {
      %x = loop.get %q : index
      loop.store %x, %out[%x] : index
      %up = arith.addi %x, %one : index
      loop.set %up, %q : index
    }
  }
  func.return
}

// -----

// The array of the ends is written inside.
// CHECK-LABEL: func.func @changing
// CHECK-NOT: loop.if
func.func @changing(%pos: !loop.buffer<index>, %other: !loop.buffer<index>, %out: !loop.buffer<index>, %k: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %k, %one : index
  loop.for %p = %zero to %n {
    %b0 = loop.load %pos[%k] : index
    %e0 = loop.load %pos[%next] : index
    %q = loop.cell %b0 : index
    %b1 = loop.load %other[%p] : index
    %r = loop.cell %b1 : index
    loop.while {
      %x = loop.get %q : index
      %c = arith.cmpi slt, %x, %e0 : index
      %y = loop.get %r : index
      %d = arith.cmpi slt, %y, %n : index
      %both = arith.andi %c, %d : i1
      loop.condition %both
    } do {
      %x = loop.get %q : index
      loop.store %x, %pos[%x] : index
      %up = arith.addi %x, %one : index
      loop.set %up, %q : index
    }
  }
  func.return
}

// -----

// One of the two lists is enough for an iteration.
// CHECK-LABEL: func.func @either
// CHECK-NOT: loop.if
func.func @either(%pos: !loop.buffer<index>, %other: !loop.buffer<index>, %out: !loop.buffer<index>, %k: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %k, %one : index
  loop.for %p = %zero to %n {
    %b0 = loop.load %pos[%k] : index
    %e0 = loop.load %pos[%next] : index
    %q = loop.cell %b0 : index
    %b1 = loop.load %other[%p] : index
    %r = loop.cell %b1 : index
    loop.while {
      %x = loop.get %q : index
      %c = arith.cmpi slt, %x, %e0 : index
      %y = loop.get %r : index
      %d = arith.cmpi slt, %y, %n : index
      %both = arith.ori %c, %d : i1
      loop.condition %both
    } do {
      %x = loop.get %q : index
      loop.store %x, %out[%x] : index
      %up = arith.addi %x, %one : index
      loop.set %up, %q : index
    }
  }
  func.return
}
