// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p hint-loops | filecheck %s

// The extent of a dimension is long as a rule; and loops with hints of their own.
// CHECK-LABEL: func.func @others
// CHECK: loop.for %j = %i to %n {
// CHECK: loop.for %q = %i to %end attributes {unroll = 4 : i64} {
// CHECK: func.return
func.func @others(%pos: !loop.buffer<index>, %x: !loop.buffer<f64>, %n: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %j = %i to %n {
    %v = loop.load %x[%j] : f64
    loop.store %v, %x[%i] : f64
  }
  loop.for %q = %i to %end attributes {unroll = 4 : i64} {
    %v = loop.load %x[%q] : f64
    loop.store %v, %x[%i] : f64
  }
  func.return
}
