// RUN: not irtensor-opt %s -p lower-loop-to-llvm 2>&1 | filecheck %s

func.func @far(%x: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %n = arith.constant -9223372036854775809 : index
  loop.store %n, %x[%zero] : index
  func.return
}

// CHECK:      {{.*}}:5:8: error: [number-too-large] constant -9223372036854775809 does not fit in 64 bits
// CHECK-NEXT:     %n = arith.constant -9223372036854775809 : index
// CHECK-NEXT:          ^^^^^^^^^^^^^^
// CHECK-NEXT: help: write a number from -2^63 to 2^64 - 1
