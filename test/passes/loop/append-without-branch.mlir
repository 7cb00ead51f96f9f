// RUN: irtensor-opt %s --split-input-file -p append-without-branch | filecheck %s

// Entries are written at the end in any case, and appended only if the condition holds. One entry more is reserved.
// CHECK-LABEL: func.func @append
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %count = loop.counter
// CHECK-NEXT: [[N0:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[N1:%[a-z0-9_]+]] = arith.addi %hi, [[N0]] : index
// CHECK-NEXT: loop.reserve %grow, [[N1]] : f64
// CHECK-NEXT: %vals = loop.data %grow : f64
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %q = loop.count %count
// CHECK-NEXT:   loop.store %v, %vals[%q] : f64
// CHECK-NEXT:   [[N2:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT:   [[N3:%[a-z0-9_]+]] = arith.select %c, %one, [[N2]] : index
// CHECK-NEXT:   loop.append [[N3]] to %count
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @append(%c: i1, %v: f64, %grow: !loop.growable<f64>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %count = loop.counter
  loop.reserve %grow, %hi : f64
  %vals = loop.data %grow : f64
  loop.for %i = %lo to %hi {
    loop.if %c {
      %q = loop.count %count
      loop.store %v, %vals[%q] : f64
      loop.append %one to %count
    }
  }
  func.return
}
