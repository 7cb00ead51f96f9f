// RUN: irtensor-opt %s --split-input-file -p 'sum-in-lanes{lanes=2}' | filecheck %s

// Values lie one behind the other and are one vector; what coordinates lead to is read for each lane.
// CHECK-LABEL: func.func @product
// CHECK:     %[[LENGTH:.*]] = arith.subi %end, %begin : index
// CHECK:     %[[REST:.*]] = loop.cell %begin : index
// CHECK:     %[[IS_LONG:.*]] = arith.cmpi sge, %[[LENGTH]], %{{.*}} : index
// CHECK:     loop.if %[[IS_LONG]] {
// CHECK:       %[[COUNT:.*]] = arith.divsi %[[LENGTH]], %{{.*}} : index
// CHECK:       %[[ZEROS:.*]] = vector.broadcast %{{.*}} : f64 to vector<2xf64>
// CHECK:       %[[BEFORE:.*]] = loop.get %t : f64
// CHECK:       vector.insert %[[BEFORE]], %[[ZEROS]] [0]
// CHECK:       loop.for %{{.*}} = %{{.*}} to %[[COUNT]] attributes {unroll = 1 : i64} {
// CHECK:         %[[VALUES:.*]] = loop.load %a[%[[P:.*]]] : vector<2xf64>
// CHECK:         loop.load %crd[%[[P]]] : i32
// CHECK:         %[[FIRST:.*]] = loop.load %x[%{{.*}}] : f64
// CHECK:         %[[LANES:.*]] = vector.broadcast %[[FIRST]] : f64 to vector<2xf64>
// CHECK:         loop.load %crd[%{{.*}}] : i32
// CHECK:         %[[SECOND:.*]] = loop.load %x[%{{.*}}] : f64
// CHECK:         %[[BOTH:.*]] = vector.insert %[[SECOND]], %[[LANES]] [1]
// CHECK:         arith.mulf %[[VALUES]], %[[BOTH]] fastmath<contract> : vector<2xf64>
// CHECK:         arith.addf {{.*}} fastmath<reassoc,contract> : vector<2xf64>
// CHECK:       %[[TOTAL:.*]] = vector.reduction <add>, %{{.*}} fastmath<reassoc,contract> : vector<2xf64> into f64
// CHECK:       loop.set %[[TOTAL]], %t : f64
// CHECK:     %[[START:.*]] = loop.get %[[REST]] : index
// CHECK:     loop.for %p = %[[START]] to %end attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK-COUNT-2: loop.load {{.*}} : f64
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

// Numbers are converted in lanes; what does not depend on the entry is in all of them. The sum is one of other segments,
// too, to which that of the lanes is added.
// CHECK-LABEL: func.func @integers
// CHECK:       arith.constant 0 : i32
// CHECK:       loop.for
// CHECK:         %[[NARROW:.*]] = vector.insert %{{.*}}, %{{.*}} [1] : i16 into vector<2xi16>
// CHECK:         %[[WIDE:.*]] = llvm.sext %[[NARROW]] : vector<2xi16> to vector<2xi32>
// CHECK:         %[[FACTOR:.*]] = vector.broadcast %f : i32 to vector<2xi32>
// CHECK:         arith.muli %[[WIDE]], %[[FACTOR]] : vector<2xi32>
// CHECK:         arith.ori
// CHECK:       %[[TOTAL:.*]] = vector.reduction <or>, %{{.*}} : vector<2xi32> into i32
// CHECK-NEXT:  %[[OTHERS:.*]] = loop.get %t : i32
// CHECK-NEXT:  %[[BOTH:.*]] = arith.ori %[[OTHERS]], %[[TOTAL]] : i32
// CHECK-NEXT:  loop.set %[[BOTH]], %t : i32
func.func @integers(%pos: !loop.buffer<index>, %crd: !loop.buffer<i32>, %x: !loop.buffer<i16>, %t: !loop.cell<i32>, %f: i32, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : i32
    %j = arith.index_cast %c : i32 to index
    %w = loop.load %x[%j] : i16
    %v = arith.extsi %w : i16 to i32
    %m = arith.muli %v, %f : i32
    %s = loop.get %t : i32
    %all = arith.ori %m, %s : i32
    loop.set %all, %t : i32
  }
  func.return
}

// -----

// An operation on truth values has no lanes: its results are put into a vector.
// CHECK-LABEL: func.func @chosen
// CHECK:       loop.for
// CHECK-COUNT-2: arith.select
// CHECK:         vector.insert %{{.*}}, %{{.*}} [1] : f32 into vector<2xf32>
// CHECK:       vector.reduction <mul>
func.func @chosen(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f32>, %t: !loop.cell<f32>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  %one = arith.constant 1.0 : f32
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %w = loop.load %x[%c] : f32
    %less = arith.cmpf olt, %w, %one : f32
    %v = arith.select %less, %one, %w : f32
    %s = loop.get %t : f32
    %all = arith.mulf %s, %v fastmath<reassoc> : f32
    loop.set %all, %t : f32
  }
  func.return
}

// -----

// The least number is the same in any order. Lanes begin with what is greater than all.
// CHECK-LABEL: func.func @least
// CHECK:       arith.constant 0x7ff0000000000000 : f64
// CHECK:       vector.reduction <minimumf>, %{{.*}} : vector<2xf64> into f64
func.func @least(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %end = loop.load %pos[%i] : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %w = loop.load %x[%c] : f64
    %s = loop.get %t : f64
    %less = arith.minimumf %s, %w : f64
    loop.set %less, %t : f64
  }
  func.return
}
