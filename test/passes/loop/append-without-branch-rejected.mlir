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
