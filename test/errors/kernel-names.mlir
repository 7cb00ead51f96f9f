// RUN: not irtensor-opt %s -p outline-launches 2>&1 | filecheck %s

func.func @named(%n: index, %x: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    loop.store %i, %x[%i] : index
  }
  func.return
}
builtin.module @named_kernels {
}

// CHECK:      {{.*}}:3:1: error: [name-conflict] kernels of 'named' are to be in @named_kernels, which is there already
// CHECK-NEXT:   func.func @named(%n: index, %x: !loop.buffer<index>) {
// CHECK-NEXT:   ^^^^^^^^^
// CHECK-NEXT: help: run outline-launches once, or give the function another name
