// RUN: irtensor-opt %s | irtensor-opt | filecheck %s

// CHECK-LABEL: func.func @sets
func.func @sets(%n: index, %i: index, %members: !loop.buffer<i64>, %numbers: !loop.buffer<index>) -> i1 {
  // CHECK-NEXT: %set = loop.index_set %n
  %set = loop.index_set %n
  // CHECK-NEXT: %before = loop.insert %i into %set
  %before = loop.insert %i into %set
  // CHECK-NEXT: %taken = loop.remove %i from %set
  %taken = loop.remove %i from %set
  // CHECK-NEXT: %after = loop.contains %i in %set
  %after = loop.contains %i in %set
  // CHECK-NEXT: %count = loop.members %set into %members : !loop.buffer<i64>
  %count = loop.members %set into %members : !loop.buffer<i64>
  // CHECK-NEXT: %again = loop.members %set into %members drain : !loop.buffer<i64>
  %again = loop.members %set into %members drain : !loop.buffer<i64>
  // CHECK-NEXT: loop.clear %set
  loop.clear %set
  // CHECK-NEXT: loop.visit %j in %set {
  // CHECK-NEXT:   loop.store %j, %numbers[%j] : index
  // CHECK-NEXT: }
  loop.visit %j in %set {
    loop.store %j, %numbers[%j] : index
  }
  func.return %after : i1
}

// One that lies in memory that was made for it.
// CHECK-LABEL: func.func @placed
func.func @placed(%n: index, %memory: !loop.buffer<i64>) {
  // CHECK-NEXT: %set = loop.index_set %n in %memory : !loop.buffer<i64>
  %set = loop.index_set %n in %memory : !loop.buffer<i64>
  // CHECK-NEXT: %flags = loop.index_set %n in %memory : !loop.buffer<i64> {unlisted}
  %flags = loop.index_set %n in %memory : !loop.buffer<i64> {unlisted}
  func.return
}
