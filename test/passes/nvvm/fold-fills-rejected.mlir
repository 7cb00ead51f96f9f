// What is left to kernels: values of no pattern, stores beside what needs a kernel anyway, and all that kernels do.
// RUN: irtensor-opt %s -p fold-fills | filecheck %s

// CHECK-NOT: loop.memset
func.func @no_pattern(%n: index, %v: f64, %y: !loop.buffer<f64>, %z: !loop.buffer<complex<f32>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %negative = arith.constant -0.0 : f64
  %unequal = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  loop.fill %v, %y[%zero to %n] : f64
  loop.fill %one, %y[%zero to %n] : f64
  loop.fill %negative, %y[%zero to %n] : f64
  loop.fill %unequal, %z[%zero to %n] : complex<f32>
  func.return
}

// One kernel stores both.
func.func @beside(%n: index, %v: f64, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  loop.store %none, %y[%zero] : f64
  loop.store %v, %y[%n] : f64
  loop.parallel %k = %zero to %n {
    loop.store %v, %y[%k] : f64
  }
  func.return
}

// A kernel of one iteration runs the loop, as there is nothing in it for the host.
func.func @inside(%n: index, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  loop.for %i = %zero to %n {
    loop.store %none, %y[%i] : f64
    loop.fill %none, %y[%zero to %i] : f64
  }
  loop.parallel %k = %zero to %n {
    loop.fill %none, %y[%k to %n] : f64
  }
  func.return
}

func.func @kernel(%n: index, %y: !loop.buffer<f64>) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  loop.fill %none, %y[%zero to %n] : f64
  func.return
}
