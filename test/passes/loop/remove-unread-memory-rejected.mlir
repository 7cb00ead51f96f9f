// RUN: irtensor-opt %s --split-input-file -p remove-unread-memory | filecheck %s

// The caller reads what is stored to an argument, and how long a growable became.
// CHECK-LABEL: func.func @arguments
// CHECK: loop.reserve %g, %n : f64
// CHECK: loop.store %v, %d[%n] : f64
// CHECK: loop.set_size %g, %n : f64
// CHECK: loop.fill %v, %b[%n to %n] : f64
func.func @arguments(%g: !loop.growable<f64>, %b: !loop.buffer<f64>, %n: index, %v: f64) {
  loop.reserve %g, %n : f64
  %d = loop.data %g : f64
  loop.store %v, %d[%n] : f64
  loop.set_size %g, %n : f64
  loop.fill %v, %b[%n to %n] : f64
  func.return
}

// -----

// Scratch memory that is copied out, a set whose membership decides, an operation of another dialect, a requirement.
// CHECK-LABEL: func.func @read
// CHECK: loop.reserve %w, %n : f64
// CHECK: loop.store %v, %d[%n] : f64
// CHECK: loop.copy %d[%n], %b[%n], %n : f64
// CHECK: loop.clear %set
// CHECK: loop.insert %n into %set
// CHECK: loop.if %old {
// CHECK: "test.op"(%x) : (f64) -> ()
// CHECK: loop.require %old else 4
func.func @read(%b: !loop.buffer<f64>, %n: index, %v: f64) {
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %d = loop.data %w : f64
  loop.store %v, %d[%n] : f64
  loop.copy %d[%n], %b[%n], %n : f64
  %set = loop.index_set %n
  loop.clear %set
  %old = loop.insert %n into %set
  loop.if %old {
    loop.store %v, %b[%n] : f64
  }
  %c = loop.cell %v : f64
  %x = loop.get %c : f64
  "test.op"(%x) : (f64) -> ()
  loop.require %old else 4
  func.return
}
