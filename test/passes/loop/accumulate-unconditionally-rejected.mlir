// RUN: irtensor-opt %s --split-input-file -p accumulate-unconditionally | filecheck %s

// Zero is not the identity of a product.
// CHECK-LABEL: func.func @product
// CHECK: loop.scratch : f64
// CHECK: loop.accumulate
func.func @product(%n: index, %v: f64, %out: !loop.buffer<f64>) {
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  %present = loop.insert %n into %set
  loop.accumulate mul %v into %own[%n] where %present : f64
  loop.visit %k in %set {
    %total = loop.load %own[%k] : f64
    loop.store %total, %out[%k] : f64
  }
  func.return
}

// -----

// What is stored at a place that is not put into the set would not become zero again.
// CHECK-LABEL: func.func @elsewhere
// CHECK: loop.scratch : f64
// CHECK: loop.accumulate
func.func @elsewhere(%n: index, %v: f64, %out: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  %present = loop.insert %zero into %set
  loop.accumulate add %v into %own[%n] where %present : f64
  loop.visit %k in %set {
    %total = loop.load %own[%k] : f64
    loop.store %total, %out[%k] : f64
  }
  func.return
}

// -----

// The values are read by something that has nothing to do with the visit.
// CHECK-LABEL: func.func @read_afterwards
// CHECK: loop.scratch : f64
// CHECK: loop.accumulate
func.func @read_afterwards(%n: index, %v: f64, %out: !loop.buffer<f64>) {
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  %present = loop.insert %n into %set
  loop.accumulate add %v into %own[%n] where %present : f64
  loop.visit %k in %set {
    loop.store %v, %out[%k] : f64
  }
  %total = loop.load %own[%n] : f64
  loop.store %total, %out[%n] : f64
  func.return
}

// -----

// The set is listed, and not emptied by a visit.
// CHECK-LABEL: func.func @listed
// CHECK: loop.scratch : f64
// CHECK: loop.accumulate
func.func @listed(%n: index, %v: f64, %list: !loop.buffer<i64>) {
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  %present = loop.insert %n into %set
  loop.accumulate add %v into %own[%n] where %present : f64
  %count = loop.members %set into %list drain : !loop.buffer<i64>
  func.return
}

// -----

// A loop puts integers in and takes them out.
// CHECK-LABEL: func.func @put_in_and_taken_out
// CHECK: loop.scratch : f64
// CHECK: loop.accumulate
func.func @put_in_and_taken_out(%n: index, %v: f64) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  loop.for %k = %zero to %n {
    %taken = loop.remove %k from %set
    %present = loop.insert %n into %set
    loop.accumulate add %v into %own[%n] where %present : f64
  }
  func.return
}

// -----

// An element is stored to beside what is accumulated.
// CHECK-LABEL: func.func @stored
// CHECK: loop.scratch : f64
// CHECK: loop.accumulate
func.func @stored(%n: index, %v: f64, %out: !loop.buffer<f64>) {
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  %present = loop.insert %n into %set
  loop.accumulate add %v into %own[%n] where %present : f64
  loop.store %v, %own[%n] : f64
  loop.visit %k in %set {
    %total = loop.load %own[%k] : f64
    loop.store %total, %out[%k] : f64
  }
  func.return
}
