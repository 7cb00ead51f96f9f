// RUN: irtensor-opt %s | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

// CHECK-LABEL: func.func @starts
func.func @starts(%b: !loop.buffer<i64>, %c: !loop.buffer<i32>, %d: !loop.buffer<index>, %n: index, %first: i32) {
  %c0 = arith.constant 0 : index
  // CHECK: loop.prefix_sum %b[%c0 to %n] : i64
  loop.prefix_sum %b[%c0 to %n] : i64
  // CHECK-NEXT: loop.prefix_sum %c[%c0 to %n] from %first : i32
  loop.prefix_sum %c[%c0 to %n] from %first : i32
  // CHECK-NEXT: loop.prefix_sum %d[%n to %n] from %n : index
  loop.prefix_sum %d[%n to %n] from %n : index
  func.return
}
