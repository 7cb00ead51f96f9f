// RUN: irtensor-opt %s --split-input-file -p divide-appending-loops | filecheck %s

// Each part counts from 0 and appends to lists of its own, the first to the result; then parts are given their starts,
// lists are copied behind each other, and ends of segments move by the start of their part. Memory that only the loop
// uses is made for each part.
// CHECK-LABEL: func.func @rows
// CHECK: [[STARTS:%[a-z0-9_]+]] = loop.scratch : i64
// CHECK: %parts = loop.parts
// CHECK: [[COUNTS:%[a-z0-9_]+]] = loop.data [[STARTS]] : i64
// CHECK: loop.parallel %part = [[ZERO:%[a-z0-9_]+]] to %parts {
// CHECK:   %set = loop.index_set %n
// CHECK:   %count_1 = loop.cell [[ZERO]] : index
// CHECK:   %crd_1 = loop.part_of %crd[%part] : i64
// CHECK:   loop.for %i = [[LO:%[a-z0-9_]+]] to [[HI:%[a-z0-9_]+]] {
// CHECK:     loop.clear %set
// CHECK:     %q = loop.get %count_1 : index
// CHECK:     loop.reserve %crd_1, %more : i64
// CHECK:     loop.set %more, %count_1 : index
// CHECK:   loop.store [[N1:%[a-z0-9_]+]], [[COUNTS]]{{\[}}%part] : i64
// CHECK: loop.for [[C:%[a-z0-9_]+]] = [[ZERO]] to %parts {
// CHECK:   loop.load [[COUNTS]]{{\[}}[[C]]] : i64
// CHECK:   loop.store [[N2:%[a-z0-9_]+]], [[COUNTS]]{{\[}}[[C]]] : i64
// CHECK:   loop.set [[N3:%[a-z0-9_]+]], %count : index
// CHECK: [[TOTAL:%[a-z0-9_]+]] = loop.get %count : index
// CHECK: loop.reserve %crd, [[TOTAL]] : i64
// CHECK: loop.parallel
// CHECK:   loop.copy
// CHECK:   loop.for [[P:%[a-z0-9_]+]] = [[N4:%[a-z0-9_]+]] to [[N5:%[a-z0-9_]+]] {
// CHECK:     loop.load %pos{{\[}}[[P]]] : i64
// CHECK:     loop.store [[N6:%[a-z0-9_]+]], %pos{{\[}}[[P]]] : i64
// CHECK: loop.set_size %crd, [[N7:%[a-z0-9_]+]] : i64
func.func @rows(%pos: !loop.buffer<i64>, %crd: !loop.growable<i64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.cell %zero : index
  %set = loop.index_set %n
  loop.for %i = %zero to %n attributes {parallel = "none"} {
    loop.clear %set
    %q = loop.get %count : index
    %more = arith.addi %q, %one : index
    loop.reserve %crd, %more : i64
    %data = loop.data %crd : i64
    %c = arith.index_cast %i : index to i64
    loop.store %c, %data[%q] : i64
    loop.set %more, %count : index
    %e = loop.get %count : index
    %end = arith.index_cast %e : index to i64
    %next = arith.addi %i, %one : index
    loop.store %end, %pos[%next] : i64
  }
  %size = loop.get %count : index
  loop.set_size %crd, %size : i64
  func.return
}
