// RUN: irtensor-opt %s --split-input-file -p visit-drained-sets | filecheck %s

// How many members there are is written down.
// CHECK-LABEL: func.func @counted
// CHECK: loop.members
// CHECK-NOT: loop.visit
func.func @counted(%n: index, %list: !loop.buffer<i64>, %out: !loop.buffer<i64>, %counts: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %count = loop.members %set into %list drain : !loop.buffer<i64>
  loop.store %count, %counts[%zero] : index
  loop.for %p = %zero to %count {
    %j = loop.load %list[%p] : i64
    loop.store %j, %out[%zero] : i64
  }
  func.return
}

// -----

// Members are written to where they stand in the list.
// CHECK-LABEL: func.func @numbered
// CHECK: loop.members
// CHECK-NOT: loop.visit
func.func @numbered(%n: index, %list: !loop.buffer<i64>, %out: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %count = loop.members %set into %list drain : !loop.buffer<i64>
  loop.for %p = %zero to %count {
    %j = loop.load %list[%p] : i64
    loop.store %j, %out[%p] : i64
  }
  func.return
}

// -----

// The set is filled again while its list is walked.
// CHECK-LABEL: func.func @filled_meanwhile
// CHECK: loop.members
// CHECK-NOT: loop.visit
func.func @filled_meanwhile(%n: index, %list: !loop.buffer<i64>, %out: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %count = loop.members %set into %list drain : !loop.buffer<i64>
  loop.for %p = %zero to %count {
    %j = loop.load %list[%p] : i64
    %place = arith.index_cast %j : i64 to index
    %present = loop.insert %place into %set
    loop.store %j, %out[%zero] : i64
  }
  func.return
}

// -----

// Two loops walk along the list.
// CHECK-LABEL: func.func @walked_twice
// CHECK: loop.members
// CHECK-NOT: loop.visit
func.func @walked_twice(%n: index, %list: !loop.buffer<i64>, %out: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %count = loop.members %set into %list drain : !loop.buffer<i64>
  loop.for %p = %zero to %count {
    %j = loop.load %list[%p] : i64
    loop.store %j, %out[%zero] : i64
  }
  loop.for %q = %zero to %count {
    %k = loop.load %list[%q] : i64
    loop.store %k, %out[%zero] : i64
  }
  func.return
}

// -----

// The set keeps its members.
// CHECK-LABEL: func.func @kept
// CHECK: loop.members
// CHECK-NOT: loop.visit
func.func @kept(%n: index, %list: !loop.buffer<i64>, %out: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %count = loop.members %set into %list : !loop.buffer<i64>
  loop.for %p = %zero to %count {
    %j = loop.load %list[%p] : i64
    loop.store %j, %out[%zero] : i64
  }
  func.return
}
