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
func.func @no_room(%c: i1, %v: f64, %vals: !loop.buffer<f64>, %count: !loop.cell<index>, %lo: index, %hi: index) {
  %one = arith.constant 1 : index
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
