// RUN: irtensor-opt %s --split-input-file -p fold-fills | filecheck %s

// Zeros of all types are a pattern, and any value of an element of up to 4 bytes; in the place of the fill.
// CHECK-LABEL: func.func @patterns(
// CHECK: loop.memset %zero, %y[%lo to %hi] : f64
// CHECK-NEXT: loop.parallel
// CHECK: loop.memset %none, %y[%lo to %hi] : f64
// CHECK-NEXT: loop.memset %pair, %z[%lo to %hi] : complex<f64>
// CHECK-NEXT: loop.memset %i, %places[%lo to %hi] : index
// CHECK-NEXT: loop.memset %true, %flags[%lo to %hi] : i1
// CHECK-NEXT: loop.memset %v, %x[%lo to %hi] : f32
// CHECK-NOT: loop.fill
func.func @patterns(%lo: index, %hi: index, %v: f32, %true: i1, %y: !loop.buffer<f64>, %z: !loop.buffer<complex<f64>>, %places: !loop.buffer<index>, %flags: !loop.buffer<i1>, %x: !loop.buffer<f32>) {
  %zero = arith.constant 0.0 : f64
  // The halves of this number are the same.
  %none = arith.constant 0xFFFFFFFFFFFFFFFF : f64
  %pair = complex.constant [0.0, 0.0] : complex<f64>
  %i = arith.constant -1 : index
  loop.fill %zero, %y[%lo to %hi] : f64
  loop.parallel %k = %lo to %hi {
    loop.store %zero, %y[%k] : f64
  }
  loop.fill %none, %y[%lo to %hi] : f64
  loop.fill %pair, %z[%lo to %hi] : complex<f64>
  loop.fill %i, %places[%lo to %hi] : index
  loop.fill %true, %flags[%lo to %hi] : i1
  loop.fill %v, %x[%lo to %hi] : f32
  func.return
}

// -----

// A single element is filled as well: where there is a first position of segments, a kernel would store a zero.
// CHECK-LABEL: func.func @element(
// CHECK: %[[ZERO:.*]] = arith.index_cast
// CHECK: %[[END:.*]] = arith.addi %i, %{{.*}} : index
// CHECK-NEXT: loop.memset %[[ZERO]], %pos[%i to %[[END]]] : i64
// CHECK-NEXT: loop.parallel
func.func @element(%i: index, %n: index, %pos: !loop.buffer<i64>, %y: !loop.buffer<f64>, %v: f64) {
  %zero = arith.constant 0 : index
  %none = arith.index_cast %zero : index to i64
  loop.store %none, %pos[%i] : i64
  loop.parallel %k = %zero to %n {
    loop.store %v, %y[%k] : f64
  }
  func.return
}

// -----

// Loops and branches that the host runs because there are kernels in them.
// CHECK-LABEL: func.func @host_loop(
// CHECK: loop.for
// CHECK-NEXT: loop.memset
// CHECK-NEXT: loop.if
// CHECK-NEXT: loop.memset
// CHECK-NEXT: loop.parallel
func.func @host_loop(%n: index, %y: !loop.buffer<f64>, %some: i1) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  loop.for %i = %zero to %n {
    loop.fill %none, %y[%zero to %i] : f64
    loop.if %some {
      loop.fill %none, %y[%i to %n] : f64
      loop.parallel %k = %zero to %n {
        loop.store %none, %y[%k] : f64
      }
    }
  }
  func.return
}
