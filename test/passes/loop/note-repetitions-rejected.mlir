// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p note-repetitions | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p keep-order-of-sums,note-repetitions | filecheck %s

// A value that another iteration has another one of, an element that is read for something else, a buffer of unknown length.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-7: loop.for
// CHECK-NOT: loop.fill {{.*}} : i64
func.func @kept(%n: index, %m: index, %v: f64, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>) {
  %lo = arith.constant 0 : index
  loop.fill %v, %y[%lo to %m] : f64
  loop.for %i = %lo to %n {
    %other = loop.load %x[%i] : f64
    loop.for %j = %lo to %m {
      %old = loop.load %y[%j] : f64
      %new = algebra.apply max(%old, %other) : (f64, f64) -> f64
      loop.store %new, %y[%j] : f64
    }
  }
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %m {
      %old = loop.load %y[%j] : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.store %new, %y[%j] : f64
    }
    %read = loop.load %y[%i] : f64
    loop.store %read, %x[%i] : f64
  }
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %m {
      %old = loop.load %z[%j] : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.store %new, %z[%j] : f64
    }
  }
  loop.for %j = %lo to %m {
    %old = loop.load %y[%j] : f64
    %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
    loop.store %new, %y[%j] : f64
  }
  func.return
}

// -----

// What was stored last depends on the order, and so does what two operators give that alternate.
// CHECK-LABEL: func.func @operators
// CHECK-COUNT-5: loop.for
// CHECK-NOT: loop.fill {{.*}} : i64
func.func @operators(%n: index, %m: index, %v: i64, %x: !loop.buffer<i64>, %y: !loop.buffer<i64>) {
  %lo = arith.constant 0 : index
  loop.fill %v, %x[%lo to %m] : i64
  loop.fill %v, %y[%lo to %m] : i64
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %m {
      %old = loop.load %x[%j] : i64
      %new = algebra.apply second(%old, %v) : (i64, i64) -> i64
      loop.store %new, %x[%j] : i64
    }
  }
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %m {
      %old = loop.load %y[%j] : i64
      %new = algebra.apply max(%old, %v) : (i64, i64) -> i64
      loop.store %new, %y[%j] : i64
    }
    loop.for %j = %lo to %i {
      %old = loop.load %y[%j] : i64
      %new = algebra.apply min(%old, %v) : (i64, i64) -> i64
      loop.store %new, %y[%j] : i64
    }
  }
  func.return
}

// -----

// A sum of floats that may not be reassociated: a multiple is rounded once.
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.fill {{.*}} : i64
func.func @rounded(%n: index, %m: index, %v: f32, %y: !loop.buffer<f32>) {
  %lo = arith.constant 0 : index
  loop.fill %v, %y[%lo to %m] : f32
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %m {
      %old = loop.load %y[%j] : f32
      %new = algebra.apply add(%old, %v) : (f32, f32) -> f32
      loop.store %new, %y[%j] : f32
    }
  }
  func.return
}
