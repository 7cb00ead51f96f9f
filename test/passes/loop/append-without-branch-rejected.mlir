// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p append-without-branch | filecheck %s

// A store at a place that is not the end could overwrite what counts.
// CHECK-LABEL: func.func @store
// CHECK: loop.if %c {
// CHECK-NEXT: loop.store %v, %x[%i] : f64
func.func @store(%c: i1, %v: f64, %x: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    loop.if %c {
      loop.store %v, %x[%i] : f64
    }
  }
  func.return
}

// -----

// Without room reserved before the loop there is no place for one entry more.
// CHECK-LABEL: func.func @no_room
// CHECK: loop.if %c {
func.func @no_room(%c: i1, %v: f64, %vals: !loop.buffer<f64>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %count = loop.counter
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

// Where another entry may go to the same place, what is stored there in any case would be part of the result.
// CHECK-LABEL: func.func @either
// CHECK: loop.if %c {
func.func @either(%c: i1, %v: f64, %grow: !loop.growable<f64>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %count = loop.counter
  loop.reserve %grow, %hi : f64
  %vals = loop.data %grow : f64
  loop.for %i = %lo to %hi {
    loop.if %c {
      %q = loop.count %count
      loop.store %v, %vals[%q] : f64
      loop.append %one to %count
    } else {
      loop.append %one to %count
    }
  }
  func.return
}

// -----

// The place was read before another entry went there.
// CHECK-LABEL: func.func @stale
// CHECK: loop.if %c {
func.func @stale(%c: i1, %v: f64, %grow: !loop.growable<f64>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %count = loop.counter
  loop.reserve %grow, %hi : f64
  %vals = loop.data %grow : f64
  loop.for %i = %lo to %hi {
    %q = loop.count %count
    loop.append %one to %count
    loop.if %c {
      loop.store %v, %vals[%q] : f64
      loop.append %one to %count
    }
  }
  func.return
}

// -----

// A provisional store whose branch does not count the entry may be all that the entry has.
// CHECK-LABEL: func.func @counted_elsewhere
// CHECK: loop.if %c {
// CHECK-NEXT: %q = loop.get %count : index
// CHECK-NEXT: loop.store %v, %vals[%q] {provisional} : f64
func.func @counted_elsewhere(%c: i1, %v: f64, %vals: !loop.buffer<f64>, %other: index, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %count = loop.cell %lo : index
  %found = loop.cell %lo : index
  loop.for %i = %lo to %hi {
    loop.if %c {
      %q = loop.get %count : index
      loop.store %v, %vals[%q] {provisional} : f64
      loop.set %i, %found : index
    }
    %old = loop.get %count : index
    %next = arith.addi %old, %one : index
    loop.set %next, %count : index
  }
  func.return
}

// -----

// Nobody says of a store without that attribute that its element is written again.
// CHECK-LABEL: func.func @not_provisional
// CHECK: loop.if %c {
func.func @not_provisional(%c: i1, %v: f64, %vals: !loop.buffer<f64>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
  %count = loop.cell %lo : index
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
