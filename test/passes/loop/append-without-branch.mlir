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

// -----

// What is stored for an entry of an index that is there is stored in any case as well, and counted by a cell.
// CHECK-LABEL: func.func @replay
// CHECK: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %q = loop.get %count : index
// CHECK-NEXT:   %fits = arith.cmpi slt, %q, %end : index
// CHECK-NEXT:   %place = arith.select %fits, %q, %end : index
// CHECK-NEXT:   loop.store %v, %vals[%place] {provisional} : f64
// CHECK-NEXT:   %stored = loop.load %crd[%place] {speculatable} : index
// CHECK-NEXT:   %same = arith.cmpi eq, %stored, %i : index
// CHECK-NEXT:   %next = arith.addi %q, %one : index
// CHECK-NEXT:   [[N0:%[a-z0-9_]+]] = loop.get %agrees : i1
// CHECK-NEXT:   [[N1:%[a-z0-9_]+]] = loop.get %count : index
// CHECK-NEXT:   [[N2:%[a-z0-9_]+]] = arith.select %c, %same, [[N0]] : i1
// CHECK-NEXT:   loop.set [[N2]], %agrees : i1
// CHECK-NEXT:   [[N3:%[a-z0-9_]+]] = arith.select %c, %next, [[N1]] : index
// CHECK-NEXT:   loop.set [[N3]], %count : index
// CHECK-NEXT: }
func.func @replay(%c: i1, %v: f64, %vals: !loop.buffer<f64>, %crd: !loop.buffer<index>, %end: index, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %yes = arith.constant true
  %count = loop.cell %lo : index
  %agrees = loop.cell %yes : i1
  loop.for %i = %lo to %hi {
    loop.if %c {
      %q = loop.get %count : index
      %fits = arith.cmpi slt, %q, %end : index
      %place = arith.select %fits, %q, %end : index
      loop.store %v, %vals[%place] {provisional} : f64
      %stored = loop.load %crd[%place] {speculatable} : index
      %same = arith.cmpi eq, %stored, %i : index
      loop.set %same, %agrees : i1
      %next = arith.addi %q, %one : index
      loop.set %next, %count : index
    }
  }
  func.return
}
