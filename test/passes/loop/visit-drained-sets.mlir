// RUN: irtensor-opt %s -p visit-drained-sets | filecheck %s

// No list is made; room is made for as many members as there can be.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:  loop.scratch
// CHECK:      %set = loop.index_set %n
// CHECK-NEXT: loop.for %i =
// CHECK-NEXT:   loop.insert %i into %set
// CHECK-NEXT:   loop.get %size
// CHECK-NEXT:   %room = arith.addi %{{.*}}, %n : index
// CHECK-NEXT:   loop.reserve %crd, %room : i64
// CHECK-NEXT:   %data = loop.data %crd : i64
// CHECK-NEXT:   loop.visit %[[j:.*]] in %set {
// CHECK-NEXT:     %value = loop.load %vals[%[[j]]] : f64
// CHECK-NEXT:     %[[wide:.*]] = arith.index_cast %[[j]] : index to i64
// CHECK-NEXT:     %end = loop.get %size
// CHECK-NEXT:     loop.store %[[wide]], %data[%end] : i64
// CHECK-NEXT:     loop.store %value, %vals[%end] : f64
// CHECK-NOT:  loop.members
func.func @rows(%n: index, %crd: !loop.growable<i64>, %vals: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = loop.cell %zero : index
  %set = loop.index_set %n
  %scratch = loop.scratch : i64
  loop.reserve %scratch, %n : i64
  %list = loop.data %scratch : i64
  %stored = loop.cell %zero : index
  loop.for %i = %zero to %n {
    %present = loop.insert %i into %set
    %count = loop.members %set into %list drain : !loop.buffer<i64>
    loop.set %count, %stored : index
    %all = loop.get %stored : index
    %begin = loop.get %size : index
    %room = arith.addi %begin, %all : index
    loop.reserve %crd, %room : i64
    %data = loop.data %crd : i64
    loop.for %p = %zero to %all {
      %j = loop.load %list[%p] : i64
      %place = arith.index_cast %j : i64 to index
      %value = loop.load %vals[%place] : f64
      %again = loop.load %list[%p] : i64
      %end = loop.get %size : index
      loop.store %again, %data[%end] : i64
      loop.store %value, %vals[%end] : f64
      %after = arith.addi %end, %one : index
      loop.set %after, %size : index
    }
  }
  func.return
}
