// RUN: irtensor-opt %s --split-input-file -p drain-sets | filecheck %s

// The set is asked for its members after they are listed.
// CHECK-LABEL: func.func @asked_afterwards
// CHECK: loop.clear %set
// CHECK: loop.members %set into %list : !loop.buffer<i64>
func.func @asked_afterwards(%n: index, %list: !loop.buffer<i64>) -> i1 {
  %set = loop.index_set %n
  loop.clear %set
  %present = loop.insert %n into %set
  %count = loop.members %set into %list : !loop.buffer<i64>
  %found = loop.contains %count in %set
  func.return %found : i1
}

// -----

// A member comes before the set is cleared, and must not be listed.
// CHECK-LABEL: func.func @filled_before
// CHECK: loop.clear %set
// CHECK: loop.members %set into %list : !loop.buffer<i64>
func.func @filled_before(%n: index, %list: !loop.buffer<i64>) {
  %set = loop.index_set %n
  %first = loop.insert %n into %set
  loop.clear %set
  %second = loop.insert %n into %set
  %count = loop.members %set into %list : !loop.buffer<i64>
  func.return
}

// -----

// What one iteration puts in after listing, the next one clears.
// CHECK-LABEL: func.func @filled_after
// CHECK: loop.clear %set
// CHECK: loop.members %set into %list : !loop.buffer<i64>
func.func @filled_after(%n: index, %list: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  loop.for %i = %zero to %n {
    loop.clear %set
    %count = loop.members %set into %list : !loop.buffer<i64>
    %present = loop.insert %i into %set
  }
  func.return
}

// -----

// Cleared once, listed many times: each listing has all members so far.
// CHECK-LABEL: func.func @listed_inside
// CHECK: loop.clear %set
// CHECK: loop.members %set into %list : !loop.buffer<i64>
func.func @listed_inside(%n: index, %list: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  loop.clear %set
  loop.for %i = %zero to %n {
    %present = loop.insert %i into %set
    %count = loop.members %set into %list : !loop.buffer<i64>
  }
  func.return
}
