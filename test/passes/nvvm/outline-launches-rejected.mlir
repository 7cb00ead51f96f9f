// What no kernel is made of: functions that touch no memory, kernels, and loops of arithmetic.
// RUN: irtensor-opt %s -p outline-launches | filecheck %s

// CHECK-NOT: loop.launch
// CHECK-NOT: builtin.module @
func.func @arithmetic(%n: index, %g: !loop.growable<f64>) {
  %one = arith.constant 1 : index
  %more = arith.addi %n, %one : index
  loop.reserve %g, %more : f64
  loop.set_size %g, %n : f64
  func.return
}

func.func @kernel(%n: index, %x: !loop.buffer<index>) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    loop.store %i, %x[%i] : index
  }
  func.return
}
