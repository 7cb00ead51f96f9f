// RUN: irtensor-opt %s --split-input-file -p 'sum-in-masked-lanes{lanes=2}' | filecheck %s

// Whole vectors come first. The one behind them has as many lanes as entries are left, which may be none. Few entries
// take no vector.
// CHECK-LABEL: func.func @product
// CHECK:     %[[LENGTH:.*]] = arith.subi %end, %begin : index
// CHECK:     %[[ARE_MANY:.*]] = arith.cmpi sgt, %[[LENGTH]], %{{.*}} : index
// CHECK:     loop.if %[[ARE_MANY]] {
// CHECK:     %[[WHOLE:.*]] = arith.divsi %[[LENGTH]], %{{.*}} : index
// CHECK:     %[[BEFORE:.*]] = loop.get %t : f64
// CHECK:     %[[FIRST:.*]] = vector.insert %[[BEFORE]], %{{.*}} [0] : f64 into vector<2xf64>
// CHECK:     %[[SUMS:.*]] = loop.cell %[[FIRST]] : vector<2xf64>
// CHECK:     loop.for %{{.*}} = %{{.*}} to %[[WHOLE]] attributes {unroll = 1 : i64} {
// CHECK:       %[[VALUES:.*]] = loop.load %a[%[[P:.*]]] : vector<2xf64>
// CHECK:       %[[COORDINATES:.*]] = loop.load %crd[%[[P]]] : vector<2xi32>
// CHECK:       %[[NUMBERS:.*]] = llvm.sext %[[COORDINATES]] : vector<2xi32> to vector<2xi64>
// CHECK:       %[[ALL:.*]] = arith.constant 2 : index
// CHECK:       %[[READ:.*]] = loop.gather %x[%[[NUMBERS]]], %[[ALL]] : vector<2xf64>
// CHECK:       arith.mulf %[[VALUES]], %[[READ]] fastmath<contract> : vector<2xf64>
// CHECK:       loop.set %{{.*}}, %[[SUMS]] : vector<2xf64>
// CHECK:     }
// CHECK:     %[[DONE:.*]] = arith.muli %[[WHOLE]], %{{.*}} : index
// CHECK:     %[[REST:.*]] = arith.addi %begin, %[[DONE]] : index
// CHECK:     %[[LEFT:.*]] = arith.subi %[[LENGTH]], %[[DONE]] : index
// CHECK:     %[[OLD:.*]] = loop.get %[[SUMS]] : vector<2xf64>
// CHECK:     loop.load_lanes %a[%[[REST]]], %[[LEFT]] : vector<2xf64>
// CHECK:     loop.load_lanes %crd[%[[REST]]], %[[LEFT]] : vector<2xi32>
// CHECK:     loop.gather %x[%{{.*}}], %[[LEFT]] : vector<2xf64>
// CHECK:     %[[NEW:.*]] = arith.addf {{.*}} fastmath<reassoc,contract> : vector<2xf64>
// CHECK:     %[[KEPT:.*]] = loop.select_lanes %[[NEW]], %[[OLD]], %[[LEFT]] : vector<2xf64>
// CHECK:     loop.set %[[KEPT]], %[[SUMS]] : vector<2xf64>
// CHECK:     %[[TOTAL:.*]] = vector.reduction <add>, %{{.*}} fastmath<reassoc,contract> : vector<2xf64> into f64
// CHECK:     loop.set %[[TOTAL]], %t : f64
// CHECK-NEXT: } else {
// CHECK-NEXT: loop.for %p = %begin to %end attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK:       loop.load %crd[%p] : i32
// CHECK:     func.return
func.func @product(%pos: !loop.buffer<i32>, %crd: !loop.buffer<i32>, %a: !loop.buffer<f64>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %begin: index, %i: index) {
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  %e = loop.load %pos[%i] : i32
  %end = arith.index_cast %e : i32 to index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : i32
    %j = arith.index_cast %c : i32 to index
    %v = loop.load %a[%p] : f64
    %w = loop.load %x[%j] : f64
    %m = arith.mulf %v, %w fastmath<contract> : f64
    %s = loop.get %t : f64
    %sum = arith.addf %s, %m fastmath<reassoc,contract> : f64
    loop.set %sum, %t : f64
  }
  %all = loop.get %t : f64
  loop.store %all, %y[%i] : f64
  func.return
}

// -----

// Others add to the sum as well, to which that of the lanes is added. What all entries share is in all lanes, and wide
// coordinates count as they are.
// CHECK-LABEL: func.func @joined
// CHECK:       loop.for
// CHECK:         %[[SHARED:.*]] = loop.load %a[%i] : i32
// CHECK:         vector.broadcast %[[SHARED]] : i32 to vector<2xi32>
// CHECK:         %[[NUMBERS:.*]] = loop.load %crd[%{{.*}}] : vector<2xi64>
// CHECK:         loop.gather %x[%[[NUMBERS]]], %{{.*}} : vector<2xi32>
// CHECK:         vector.broadcast %u : i32 to vector<2xi32>
// CHECK:       loop.select_lanes
// CHECK:       %[[TOTAL:.*]] = vector.reduction <add>, %{{.*}} : vector<2xi32> into i32
// CHECK-NEXT:  %[[OTHERS:.*]] = loop.get %t : i32
// CHECK-NEXT:  %[[BOTH:.*]] = arith.addi %[[OTHERS]], %[[TOTAL]] : i32
// CHECK-NEXT:  loop.set %[[BOTH]], %t : i32
func.func @joined(%pos: !loop.buffer<i32>, %crd: !loop.buffer<i64>, %a: !loop.buffer<i32>, %x: !loop.buffer<i32>, %t: !loop.cell<i32>, %begin: index, %i: index, %u: i32) {
  %e = loop.load %pos[%i] : i32
  %end = arith.index_cast %e : i32 to index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %v = loop.load %a[%i] : i32
    %w = loop.load %x[%j] : i32
    %m = arith.muli %v, %w : i32
    %n = arith.muli %m, %u : i32
    %s = loop.get %t : i32
    %sum = arith.addi %s, %n : i32
    loop.set %sum, %t : i32
  }
  func.return
}
