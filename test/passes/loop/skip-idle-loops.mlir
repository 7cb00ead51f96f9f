// RUN: irtensor-opt %s --split-input-file -p skip-idle-loops | filecheck %s

// Where row %k is empty, no iteration of the loop does anything; its ends are read only if there is an iteration.
// CHECK-LABEL: func.func @merge
// CHECK:      [[RUNS:%[a-z0-9_]+]] = arith.cmpi slt, %zero, %n : index
// CHECK-NEXT: loop.if [[RUNS]] {
// CHECK-NEXT:   [[BEGIN:%[a-z0-9_]+]] = loop.load %pos[%k] : index
// CHECK-NEXT:   [[END:%[a-z0-9_]+]] = loop.load %pos[%next] : index
// CHECK-NEXT:   [[STORED:%[a-z0-9_]+]] = arith.cmpi slt, [[BEGIN]], [[END]] : index
// CHECK-NEXT:   loop.if [[STORED]] attributes {unlikely} {
// CHECK-NEXT:     loop.for %p = %zero to %n {
// CHECK:            loop.while {
func.func @merge(%pos: !loop.buffer<index>, %other: !loop.buffer<index>, %out: !loop.buffer<index>, %k: index, %n: index) {
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
  }
  func.return
}

// -----

// Its ends may be read whether or not there is an iteration.
// CHECK-LABEL: func.func @merge_anywhere
// CHECK:      %next = arith.addi
// CHECK-NEXT: [[BEGIN:%[a-z0-9_]+]] = loop.load %pos[%k] {speculatable} : index
// CHECK-NEXT: [[END:%[a-z0-9_]+]] = loop.load %pos[%next] {speculatable} : index
// CHECK-NEXT: [[STORED:%[a-z0-9_]+]] = arith.cmpi slt, [[BEGIN]], [[END]] : index
// CHECK-NEXT: loop.if [[STORED]] attributes {unlikely} {
// CHECK-NEXT:   loop.for %p = %zero to %n {
func.func @merge_anywhere(%pos: !loop.buffer<index>, %other: !loop.buffer<index>, %out: !loop.buffer<index>, %k: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %k, %one : index
  loop.for %p = %zero to %n {
    %b0 = loop.load %pos[%k] {speculatable} : index
    %e0 = loop.load %pos[%next] {speculatable} : index
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
