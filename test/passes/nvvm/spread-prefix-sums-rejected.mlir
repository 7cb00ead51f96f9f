// RUN: irtensor-opt %s -p spread-prefix-sums | filecheck %s

// An iteration of a parallel loop has one thread for its sums.
// CHECK-LABEL: func.func @inside
// CHECK:       loop.parallel %i = %c0 to %n {
// CHECK:         loop.prefix_sum
// CHECK-NOT:   loop.parallel
func.func @inside(%b: !loop.buffer<i64>, %n: index) {
  %c0 = arith.constant 0 : index
  loop.parallel %i = %c0 to %n {
    loop.for %j = %c0 to %n {
      %own = loop.view %b[%i] : i64
      loop.prefix_sum %own[%c0 to %c0] : i64
    }
  }
  func.return
}

// A few elements are the work of one thread.
// CHECK-LABEL: func.func @few
// CHECK:       loop.prefix_sum
func.func @few(%b: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  loop.prefix_sum %b[%c0 to %c31] : i64
  func.return
}
