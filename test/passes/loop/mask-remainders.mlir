// RUN: irtensor-opt %s --split-input-file -p mask-remainders | filecheck %s

// Whole vectors first, then fewer entries than one vector has lanes.
// CHECK-LABEL: func.func @segment
// CHECK-DAG: %[[LENGTH:.*]] = arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK-DAG: %[[LANES:.*]] = arith.constant -8 : index
// CHECK:     %[[WHOLE:.*]] = arith.andi %[[LENGTH]], %[[LANES]] : index
// CHECK:     %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK:     %[[LEFT:.*]] = arith.andi %[[LENGTH]], %[[SEVEN]] : index
// CHECK:     %[[REST:.*]] = arith.addi %begin, %[[WHOLE]] : index
// CHECK:     loop.for %{{.*}} = %{{.*}} to %[[WHOLE]] attributes {interleave = 1 : i64} {
// CHECK-NEXT:  %[[P:.*]] = arith.addi %begin, %{{.*}} : index
// CHECK-NEXT:  loop.load %x[%[[P]]] : f64
// CHECK:     loop.for %{{.*}} = %{{.*}} to %[[LEFT]] attributes {mask = 8 : i64} {
// CHECK-NEXT:  %[[Q:.*]] = arith.addi %[[REST]], %{{.*}} : index
// CHECK-NEXT:  loop.load %x[%[[Q]]] : f64
// CHECK-NEXT:  loop.get %t : f64
// CHECK-NEXT:  arith.addf
// CHECK-NEXT:  loop.set %{{.*}}, %t : f64
// CHECK-NOT: loop.for
// CHECK:     func.return
func.func @segment(%pos: !loop.buffer<i32>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %e = loop.load %pos[%i] : i32
  %end = arith.index_cast %e : i32 to index
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %v fastmath<reassoc,contract> : f64
    loop.set %sum, %t : f64
  }
  func.return
}

// -----

// Integers may be reduced in any order.
// CHECK-LABEL: func.func @integers
// CHECK:     attributes {mask = 8 : i64}
func.func @integers(%pos: !loop.buffer<index>, %x: !loop.buffer<i64>, %t: !loop.cell<i64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %v = loop.load %x[%p] : i64
    %s = loop.get %t : i64
    %all = arith.ori %v, %s : i64
    loop.set %all, %t : i64
  }
  func.return
}
