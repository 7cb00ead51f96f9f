// RUN: irtensor-opt %s --split-input-file -p allow-vector-functions | filecheck %s

// Whole vectors first, then what they leave, in a vector with a mask where there are masks.
// CHECK-LABEL: func.func @contiguous
// CHECK-NOT: loop.narrow_vectors
// CHECK:     %[[SIXTEENS:.*]] = arith.constant -16 : index
// CHECK:     %[[WHOLE:.*]] = arith.andi %{{.*}}, %[[SIXTEENS]] : index
// CHECK:     %[[FIFTEEN:.*]] = arith.constant 15 : index
// CHECK:     %[[LEFT:.*]] = arith.andi %{{.*}}, %[[FIFTEEN]] : index
// CHECK:     loop.for %{{.*}} = %{{.*}} to %[[WHOLE]] attributes {interleave = 1 : i64} {
// CHECK:       math.exp %{{.*}} fastmath<afn> : f32
// CHECK:     loop.for %{{.*}} = %{{.*}} to %[[LEFT]] attributes {mask = 0 : i64} {
// CHECK:       math.exp %{{.*}} fastmath<afn> : f32
// CHECK-NOT: loop.for
// CHECK:     func.return
func.func @contiguous(%x: !loop.buffer<f32>, %y: !loop.buffer<f32>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    %v = loop.load %x[%i] : f32
    %e = math.exp %v : f32
    loop.store %e, %y[%i] : f32
  }
  func.return
}

// -----

// Elements at coordinates that are read: a mask would test them one by one.
// CHECK-LABEL: func.func @gathered
// CHECK:     loop.for %p = %lo to %hi attributes {interleave = 1 : i64} {
// CHECK:       math.atan2 %v, %v fastmath<afn> : f64
// CHECK-NOT: loop.for
// CHECK:     func.return
func.func @gathered(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %p = %lo to %hi {
    %c = loop.load %crd[%p] : index
    %v = loop.load %x[%c] : f64
    %e = math.atan2 %v, %v : f64
    loop.store %e, %y[%p] : f64
  }
  func.return
}

// -----

// Lanes that a mask turns off hold zeros, of which the logarithm is known, and the power takes long.
// CHECK-LABEL: func.func @logarithm
// CHECK:     loop.for
// CHECK:       %[[POLE:.*]] = arith.cmpf oeq, %[[V:.*]], %{{.*}} : f64
// CHECK:       %[[OTHER:.*]] = arith.select %[[POLE]], %{{.*}}, %[[V]] : f64
// CHECK:       %[[LOG:.*]] = math.log %[[OTHER]] fastmath<afn> : f64
// CHECK:       %[[VALUE:.*]] = arith.select %[[POLE]], %{{.*}}, %[[LOG]] : f64
// CHECK:       loop.store %[[VALUE]], %y[%{{.*}}] : f64
// CHECK:     loop.for %{{.*}} attributes {mask = 0 : i64} {
// CHECK:     loop.for %j = %lo to %hi attributes {interleave = 1 : i64} {
// CHECK:       math.powf %w, %w fastmath<afn> : f64
// CHECK:     func.return
func.func @logarithm(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    %v = loop.load %x[%i] : f64
    %e = math.log %v : f64
    loop.store %e, %y[%i] : f64
  }
  loop.for %j = %lo to %hi {
    %w = loop.load %x[%j] : f64
    %p = math.powf %w, %w : f64
    loop.store %p, %y[%j] : f64
  }
  func.return
}

// -----

// A loop that has a hint keeps it, and is not divided.
// CHECK-LABEL: func.func @hinted
// CHECK:     loop.for %i = %lo to %hi attributes {unroll = 2 : i64} {
// CHECK:       math.tanh %v fastmath<afn> : f64
// CHECK-NOT: loop.for
// CHECK:     func.return
func.func @hinted(%x: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi attributes {unroll = 2 : i64} {
    %v = loop.load %x[%i] : f64
    %e = math.tanh %v : f64
    loop.store %e, %x[%i] : f64
  }
  func.return
}

// -----

// Rows may be short, and would leave most lanes of the widest vectors empty.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:  attributes {loop.narrow_vectors}
// CHECK:         math.exp %{{.*}} fastmath<afn> : f32
func.func @rows(%x: !loop.buffer<f32>, %y: !loop.buffer<f32>, %pos: !loop.buffer<index>, %n: index) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    %next = arith.addi %i, %one : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %v = loop.load %x[%p] : f32
      %e = math.exp %v : f32
      loop.store %e, %y[%p] : f32
    }
  }
  func.return
}
