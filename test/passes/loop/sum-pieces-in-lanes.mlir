// RUN: irtensor-opt %s --split-input-file -p 'sum-pieces-in-lanes{lanes=2}' | filecheck %s

// One vector of lanes for all blocks of a row. What lies one behind the other in all blocks is asked for ahead.
// CHECK-LABEL: func.func @row
// CHECK:     %[[BEFORE:.*]] = loop.get %t : f64
// CHECK:     %[[FIRST:.*]] = vector.insert %[[BEFORE]], %{{.*}} [0] : f64 into vector<2xf64>
// CHECK:     %[[SUMS:.*]] = loop.cell %[[FIRST]] : vector<2xf64>
// CHECK:     loop.for %q = %begin to %end {
// CHECK:       %[[LENGTH:.*]] = arith.maxsi
// CHECK:       loop.prefetch %a[%{{.*}}]
// CHECK:       loop.load_lanes %a[%first], %[[LENGTH]] : vector<2xf64>
// CHECK:       loop.load_lanes %x[%{{.*}}], %[[LENGTH]] : vector<2xf64>
// CHECK:       loop.select_lanes %{{.*}}, %{{.*}}, %[[LENGTH]] : vector<2xf64>
// CHECK:       %[[MORE:.*]] = arith.divsi
// CHECK:       loop.for %[[V:.*]] = %{{.*}} to %[[MORE]] attributes {unroll = 1 : i64} {
// CHECK:         %[[DONE:.*]] = arith.muli %[[V]]
// CHECK:         %[[LEFT:.*]] = arith.subi %[[LENGTH]], %[[DONE]] : index
// CHECK:         loop.load_lanes %a[%{{.*}}], %[[LEFT]] : vector<2xf64>
// CHECK:         loop.set %{{.*}}, %[[SUMS]] : vector<2xf64>
// CHECK:     %[[TOTAL:.*]] = vector.reduction <add>, %{{.*}} fastmath<reassoc,contract> : vector<2xf64> into f64
// CHECK-NEXT: loop.set %[[TOTAL]], %t : f64
func.func @row(%pos: !loop.buffer<i32>, %crd: !loop.buffer<i32>, %ofs: !loop.buffer<index>, %a: !loop.buffer<f64>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %begin: index, %i: index) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : index
  %t = loop.cell %zero : f64
  %e = loop.load %pos[%i] : i32
  %end = arith.index_cast %e : i32 to index
  loop.for %q = %begin to %end {
    %c = loop.load %crd[%q] : i32
    %stop = arith.index_cast %c : i32 to index
    %after = arith.addi %q, %one : index
    %first = loop.load %ofs[%q] : index
    %past = loop.load %ofs[%after] : index
    %shift = arith.subi %stop, %past : index
    loop.for %p = %first to %past {
      %j = arith.addi %p, %shift : index
      %v = loop.load %a[%p] : f64
      %w = loop.load %x[%j] : f64
      %m = arith.mulf %v, %w fastmath<contract> : f64
      %s = loop.get %t : f64
      %sum = arith.addf %s, %m fastmath<reassoc,contract> : f64
      loop.set %sum, %t : f64
    }
  }
  %all = loop.get %t : f64
  loop.store %all, %y[%i] : f64
  func.return
}
