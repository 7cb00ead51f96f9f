// RUN: irtensor-opt %s | irtensor-opt | filecheck %s

// CHECK-LABEL: func.func @structure
func.func @structure(%n: index, %t: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: loop.for %{{.*}} = %{{.*}} to %n {
  loop.for %i = %c0 to %n {
    // CHECK-NEXT: loop.for %{{.*}} = %{{.*}} to %{{.*}} attributes {unroll = 4 : i64, vectorize} {
    loop.for %j = %i to %n attributes {unroll = 4 : i64, vectorize} {
    }
  }
  // CHECK: loop.if %t {
  // CHECK: } else {
  // CHECK: loop.if %t {
  // CHECK-NEXT: }
  loop.if %t {
    %a = arith.constant 1 : index
  } else {
    loop.if %t {
    }
  }
  // CHECK: [[CELL:%.*]] = loop.cell %{{.*}} : index
  %c = loop.cell %c0 : index
  // CHECK: loop.while {
  // CHECK: loop.get [[CELL]] : index
  // CHECK: loop.condition
  // CHECK-NEXT: } do {
  // CHECK-NEXT: loop.set %n, [[CELL]] : index
  loop.while {
    %v = loop.get %c : index
    %more = arith.cmpi slt, %v, %n : index
    loop.condition %more
  } do {
    loop.set %n, %c : index
  }
  func.return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%b: !loop.buffer<f64>, %z: !loop.buffer<complex<f32>>, %q: !loop.buffer<i1>, %n: index, %v: f64) {
  // CHECK: loop.load %b[%n] : f64
  %x = loop.load %b[%n] : f64
  // CHECK: loop.store %{{.*}}, %b[%n] : f64
  loop.store %x, %b[%n] : f64
  // CHECK: loop.load %q[%n] {speculatable} : i1
  %s = loop.load %q[%n] {speculatable} : i1
  // CHECK: loop.load %b[%n] {ordered} : f64
  %o = loop.load %b[%n] {ordered} : f64
  // CHECK: loop.store %o, %b[%n] {ordered} : f64
  loop.store %o, %b[%n] {ordered} : f64
  // CHECK: loop.load %b[%n] : vector<4xf64>
  %w = loop.load %b[%n] : vector<4xf64>
  // CHECK: loop.store %{{.*}}, %b[%n] : vector<4xf64>
  loop.store %w, %b[%n] : vector<4xf64>
  // CHECK: loop.cell %{{.*}} : vector<4xf64>
  %c = loop.cell %w : vector<4xf64>
  // CHECK: loop.load %z[%n] : complex<f32>
  %y = loop.load %z[%n] : complex<f32>
  // CHECK: loop.load %q[%n] : i1
  %t = loop.load %q[%n] : i1
  // CHECK: loop.fill %v, %b[%n to %n] : f64
  loop.fill %v, %b[%n to %n] : f64
  // CHECK: loop.copy %b[%n], %b[%n], %n : f64
  loop.copy %b[%n], %b[%n], %n : f64
  // CHECK: loop.prefetch %b[%n] {near} : f64
  loop.prefetch %b[%n] {near} : f64
  func.return
}

// CHECK-LABEL: func.func @search
func.func @search(%b: !loop.buffer<i32>, %n: index) {
  // CHECK: loop.lower_bound %b[%n to %n], %n : i32
  %p = loop.lower_bound %b[%n to %n], %n : i32
  // CHECK: loop.upper_bound %b[%n to %{{.*}}], %n : i32
  %q = loop.upper_bound %b[%n to %p], %n : i32
  func.return
}

// CHECK-LABEL: func.func @growable
func.func @growable(%g: !loop.growable<i64>, %n: index) {
  // CHECK: loop.scratch : f32
  %s = loop.scratch : f32
  // CHECK: loop.reserve %g, %n : i64
  loop.reserve %g, %n : i64
  // CHECK: loop.data %g : i64
  %b = loop.data %g : i64
  // CHECK: loop.capacity %g : i64
  %c = loop.capacity %g : i64
  // CHECK: loop.set_size %g, %{{.*}} : i64
  loop.set_size %g, %c : i64
  func.return
}

// CHECK-LABEL: func.func @requirement
func.func @requirement(%c: i1) {
  // CHECK: loop.require %c else 2
  loop.require %c else 2
  func.return
}

// CHECK-LABEL: func.func @threads
func.func @threads(%n: index, %b: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  // CHECK: [[PARTS:%.*]] = loop.parts %n
  %parts = loop.parts %n
  // CHECK: loop.parallel %{{.*}} = %{{.*}} to [[PARTS]] {
  loop.parallel %i = %c0 to %parts {
    // CHECK-NEXT: loop.scratch : f64
    %g = loop.scratch : f64
    // CHECK-NEXT: loop.index_set %n
    %s = loop.index_set %n
    // CHECK: loop.for %{{.*}} = %{{.*}} to %{{.*}} attributes {parallel = "none"} {
    loop.for %j = %c0 to %n attributes {parallel = "none"} {
    }
  }
  func.return
}

// CHECK-LABEL: func.func @parts_of_growables
func.func @parts_of_growables(%g: !loop.growable<f64>, %n: index) {
  // CHECK: loop.part_of %g[%n] : f64
  %p = loop.part_of %g[%n] : f64
  func.return
}

// The first lanes of vectors.
// CHECK-LABEL: func.func @lanes
func.func @lanes(%b: !loop.buffer<f64>, %n: index, %numbers: vector<4xi64>) {
  // CHECK: %[[A:.*]] = loop.load_lanes %b[%n], %n : vector<4xf64>
  %a = loop.load_lanes %b[%n], %n : vector<4xf64>
  // CHECK: %[[C:.*]] = loop.gather %b[%numbers], %n : vector<4xf64>
  %c = loop.gather %b[%numbers], %n : vector<4xf64>
  // CHECK: loop.select_lanes %[[A]], %[[C]], %n : vector<4xf64>
  %d = loop.select_lanes %a, %c, %n : vector<4xf64>
  func.return
}

// A prefetch changes nothing in the buffer.
// CHECK-LABEL: func.func @prefetched
func.func @prefetched(%b: !loop.buffer<f64>, %n: index) {
  loop.prefetch %b[%n] : f64
  // CHECK: loop.load %b[%n] {speculatable} : f64
  %x = loop.load %b[%n] {speculatable} : f64
  func.return
}
