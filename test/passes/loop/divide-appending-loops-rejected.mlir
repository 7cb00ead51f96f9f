// RUN: irtensor-opt %s --split-input-file -p divide-appending-loops | filecheck %s

// A loop that nobody marked.
// CHECK-LABEL: func.func @unmarked
// CHECK-NOT: loop.parallel
// CHECK: loop.assembled
func.func @unmarked(%crd: !loop.growable<i64>, %n: index, %v: i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %zero to %n {
    %q = loop.count %count
    %more = arith.addi %q, %one : index
    loop.reserve %crd, %more : i64
    %data = loop.data %crd : i64
    loop.store %v, %data[%q] : i64
    loop.append %one to %count
  }
  loop.assembled %crd, %count * %one + %zero : !loop.growable<i64>
  func.return
}

// -----

// Nothing is appended: another pass divides it.
// CHECK-LABEL: func.func @nothing
// CHECK: loop.for %i = %zero to %n attributes {parallel = "none"} {
func.func @nothing(%y: !loop.buffer<f64>, %n: index, %v: f64) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n attributes {parallel = "none"} {
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// -----

// A cell that an iteration reads from the iteration before it.
// CHECK-LABEL: func.func @running
// CHECK-NOT: loop.parallel
// CHECK: loop.assembled
func.func @running(%crd: !loop.growable<i64>, %b: !loop.buffer<f64>, %n: index, %v: i64, %x: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.counter
  %sum = loop.cell %x : f64
  loop.for %i = %zero to %n attributes {parallel = "none"} {
    %q = loop.count %count
    %more = arith.addi %q, %one : index
    loop.reserve %crd, %more : i64
    %data = loop.data %crd : i64
    loop.store %v, %data[%q] : i64
    loop.append %one to %count
    %old = loop.get %sum : f64
    %new = algebra.apply add(%old, %x) : (f64, f64) -> f64
    loop.set %new, %sum : f64
  }
  %s = loop.get %sum : f64
  loop.store %s, %b[%zero] : f64
  loop.assembled %crd, %count * %one + %zero : !loop.growable<i64>
  func.return
}

// -----

// A cursor that an iteration goes on from where the iteration before has left it.
// CHECK-LABEL: func.func @cursor
// CHECK-NOT: loop.parallel
// CHECK: loop.assembled
func.func @cursor(%crd: !loop.growable<i64>, %n: index, %x: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.counter
  %place = loop.cell %zero : index
  loop.for %i = %zero to %n attributes {parallel = "automatic"} {
    %p = loop.get %place : index
    %v = loop.load %x[%p] : i64
    %p1 = arith.addi %p, %one : index
    loop.set %p1, %place : index
    %q = loop.count %count
    %more = arith.addi %q, %one : index
    loop.reserve %crd, %more : i64
    %data = loop.data %crd : i64
    loop.store %v, %data[%q] : i64
    loop.append %one to %count
  }
  loop.assembled %crd, %count * %one + %zero : !loop.growable<i64>
  func.return
}

// -----

// Memory that the loop changes, and that is read after it.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: loop.parallel
// CHECK: loop.assembled
func.func @kept(%crd: !loop.growable<i64>, %n: index, %y: !loop.buffer<i64>, %v: i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.counter
  %s = loop.scratch : i64
  loop.reserve %s, %n : i64
  %kept = loop.data %s : i64
  loop.for %i = %zero to %n attributes {parallel = "automatic"} {
    loop.store %v, %kept[%i] : i64
    %q = loop.count %count
    %more = arith.addi %q, %one : index
    loop.reserve %crd, %more : i64
    %data = loop.data %crd : i64
    loop.store %v, %data[%q] : i64
    loop.append %one to %count
  }
  %last = loop.load %kept[%zero] : i64
  loop.store %last, %y[%zero] : i64
  loop.assembled %crd, %count * %one + %zero : !loop.growable<i64>
  func.return
}
