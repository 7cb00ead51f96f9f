// RUN: irtensor-opt %s -p load-invariants | filecheck %s
// RUN: irtensor-opt %s -p load-invariants,load-invariants | filecheck %s

// The row of C, and its place, are the same for all entries of a fiber.
// CHECK-LABEL: func.func @mttkrp
// CHECK: loop.for %p = %zero to %n {
// CHECK: [[RUNS:%[a-z0-9_]+]] = arith.cmpi slt, %begin, %end : index
// CHECK-NEXT: loop.if [[RUNS]] {
// CHECK-NEXT: [[PLACE:%[a-z0-9_]+]] = arith.addi %row, %n : index
// CHECK-NEXT: [[VALUES:%[a-z0-9_]+]] = loop.load %c{{\[}}[[PLACE]]{{\]}} : vector<4xf64>
// CHECK-NEXT: loop.for %q = %begin to %end
// CHECK-NOT: loop.load %c
// CHECK: loop.load %d[%q] : vector<4xf64>
// CHECK-NEXT: arith.mulf {{%[a-z0-9_]+}}, [[VALUES]]
// CHECK: func.return
func.func @mttkrp(%pos: !loop.buffer<index>, %c: !loop.buffer<f64>, %d: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.for %p = %zero to %n {
    %row = arith.muli %p, %n : index
    %after = arith.addi %p, %one : index
    %begin = loop.load %pos[%p] : index
    %end = loop.load %pos[%after] : index
    loop.for %q = %begin to %end attributes {unroll = 1 : i64, vectorize = 1 : i64} {
      %place = arith.addi %row, %n : index
      %v = loop.load %c[%place] : vector<4xf64>
      %w = loop.load %d[%q] : vector<4xf64>
      %x = arith.mulf %w, %v : vector<4xf64>
      loop.store %x, %y[%q] : vector<4xf64>
    }
  }
  func.return
}
