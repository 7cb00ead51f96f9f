// RUN: irtensor-opt --divide-fills %s | filecheck %s

// No loop is for threads.
// CHECK-LABEL: @one_thread
// CHECK-NOT: loop.parallel
// CHECK: loop.fill %zero, %y[%c0 to %n] : f64
func.func @one_thread(%n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  func.return
}

// What is filled is short, or filled by an iteration.
// CHECK-LABEL: @short
// CHECK-NOT: loop.parts
// CHECK: loop.fill %zero, %y[%c0 to %c8] : f64
// CHECK-NOT: loop.parts
// CHECK: loop.fill %zero, %y[%i to %n] : f64
func.func @short(%n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %c8] : f64
  loop.parallel %i = %c0 to %n {
    loop.fill %zero, %y[%i to %n] : f64
  }
  func.return
}
