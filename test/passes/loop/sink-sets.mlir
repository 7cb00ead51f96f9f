// RUN: irtensor-opt %s --split-input-file -p sink-sets | filecheck %s

// A cell that is set alike in each iteration is set behind all loops around, if each of them has an iteration. Whether
// the inner one has is known before the outer one, of which nothing is left.
// CHECK-LABEL: func.func @found(
// CHECK:       %cell = loop.cell %false : i1
// CHECK-NEXT:  [[INNER:%.*]] = arith.cmpi slt, %c0, %n : index
// CHECK-NEXT:  [[OUTER:%.*]] = arith.cmpi slt, %lo, %hi : index
// CHECK-NEXT:  loop.if [[OUTER]] {
// CHECK-NEXT:    loop.if [[INNER]] {
// CHECK-NEXT:      loop.set %true, %cell : i1
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  {{%.*}} = loop.get %cell
func.func @found(%n: index, %lo: index, %hi: index, %y: !loop.buffer<i1>) {
  %c0 = arith.constant 0 : index
  %true = algebra.constant true
  %false = algebra.constant false
  %cell = loop.cell %false : i1
  loop.for %p = %lo to %hi {
    loop.for %k = %c0 to %n {
      loop.set %true, %cell : i1
    }
  }
  %found = loop.get %cell : i1
  loop.store %found, %y[%c0] : i1
  func.return
}

// -----

// What else a loop does stays in it. Bounds that the loop around computes are compared in it.
// CHECK-LABEL: func.func @stores(
// CHECK:       loop.for %p = %lo to %hi {
// CHECK-NEXT:    %end = loop.load %pos[%p] : index
// CHECK-NEXT:    [[ENTERED:%.*]] = arith.cmpi slt, %c0, %end : index
// CHECK-NEXT:    loop.for %k = %c0 to %end {
// CHECK-NEXT:      loop.store %k, %y[%k] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.if [[ENTERED]] {
// CHECK-NEXT:      loop.set %true, %cell : i1
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @stores(%lo: index, %hi: index, %pos: !loop.buffer<index>, %y: !loop.buffer<index>, %z: !loop.buffer<i1>) {
  %c0 = arith.constant 0 : index
  %true = algebra.constant true
  %false = algebra.constant false
  %cell = loop.cell %false : i1
  loop.for %p = %lo to %hi {
    %end = loop.load %pos[%p] : index
    loop.for %k = %c0 to %end {
      loop.store %k, %y[%k] : index
      loop.set %true, %cell : i1
    }
  }
  %found = loop.get %cell : i1
  loop.store %found, %z[%c0] : i1
  func.return
}
