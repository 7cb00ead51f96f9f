// RUN: irtensor-opt %s --split-input-file -p append-without-branch | filecheck %s

// Entries are written at the end in any case; the end moves only if the condition holds. One entry more is reserved.
// CHECK-LABEL: func.func @append
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %count = loop.cell %zero : index
// CHECK-NEXT: [[N0:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: [[N1:%[a-z0-9_]+]] = arith.addi %hi, [[N0]] : index
// CHECK-NEXT: loop.reserve %grow, [[N1]] : f64
// CHECK-NEXT: %vals = loop.data %grow : f64
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %q = loop.get %count : index
// CHECK-NEXT:   loop.store %v, %vals[%q] : f64
// CHECK-NEXT:   %next = arith.addi %q, %one : index
// CHECK-NEXT:   [[N2:%[a-z0-9_]+]] = loop.get %count : index
// CHECK-NEXT:   [[N3:%[a-z0-9_]+]] = arith.select %c, %next, [[N2]] : index
// CHECK-NEXT:   loop.set [[N3]], %count : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @append(%c: i1, %v: f64, %grow: !loop.growable<f64>, %lo: index, %hi: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.cell %zero : index
  loop.reserve %grow, %hi : f64
  %vals = loop.data %grow : f64
  loop.for %i = %lo to %hi {
    loop.if %c {
      %q = loop.get %count : index
      loop.store %v, %vals[%q] : f64
      %next = arith.addi %q, %one : index
      loop.set %next, %count : index
    }
  }
  func.return
}
