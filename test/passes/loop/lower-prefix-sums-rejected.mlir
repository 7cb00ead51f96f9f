// What is computed by a loop of its own.
// RUN: irtensor-opt %s -p lower-prefix-sums | filecheck %s

// The sums of one are the counts of the other.
// CHECK-LABEL: func.func @twice
// CHECK:     loop.for
// CHECK:     loop.store {{.*}}, %b[%n] : i64
// CHECK:     loop.for
// CHECK:     loop.store {{.*}}, %b[%n] : i64
func.func @twice(%b: !loop.buffer<i64>, %n: index) {
  %c0 = arith.constant 0 : index
  loop.prefix_sum %b[%c0 to %n] : i64
  loop.prefix_sum %b[%c0 to %n] : i64
  func.return
}

// Another range, and something in between that reads the sums.
// CHECK-LABEL: func.func @apart
// CHECK:     loop.store {{.*}}, %b[%n] : i64
// CHECK:     loop.store {{.*}}, %c[%m] : i64
// CHECK:     loop.copy
// CHECK:     loop.store {{.*}}, %d[%m] : i64
func.func @apart(%b: !loop.buffer<i64>, %c: !loop.buffer<i64>, %d: !loop.buffer<i64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  loop.prefix_sum %b[%c0 to %n] : i64
  loop.prefix_sum %c[%c0 to %m] : i64
  loop.copy %c[%c0], %d[%c0], %m : i64
  loop.prefix_sum %d[%c0 to %m] : i64
  func.return
}
