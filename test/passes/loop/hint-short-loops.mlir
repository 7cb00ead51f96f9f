// RUN: irtensor-opt %s -p hint-short-loops | filecheck %s

// CHECK: loop.for %i = %{{.*}} to %n {
// CHECK: loop.for %p = %{{.*}} to %{{.*}} attributes {interleave = 1 : i64}
func.func @segments(%n: index, %pos: !loop.buffer<index>, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.for %i = %zero to %n {
    %next = arith.addi %i, %one : index
    %begin = loop.load %pos[%i] : index
    %end = loop.load %pos[%next] : index
    loop.for %p = %begin to %end {
      %v = loop.load %a[%p] : f64
      loop.store %v, %y[%p] : f64
    }
  }
  func.return
}
