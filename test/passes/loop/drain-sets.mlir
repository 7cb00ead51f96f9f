// RUN: irtensor-opt %s -p drain-sets | filecheck %s

// Each iteration fills the set and lists it once: listing empties it, so that the next iteration finds it empty.
// CHECK-LABEL: func.func @rows
// CHECK:      %set = loop.index_set %n
// CHECK-NEXT: loop.for %i =
// CHECK-NEXT:   loop.for %p =
// CHECK-NEXT:     loop.load %crd[%p] : index
// CHECK-NEXT:     loop.insert %{{.*}} into %set
// CHECK-NEXT:   }
// CHECK-NEXT:   loop.members %set into %list drain : !loop.buffer<i64>
// CHECK-NOT:  loop.clear
func.func @rows(%n: index, %crd: !loop.buffer<index>, %list: !loop.buffer<i64>, %counts: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  loop.for %i = %zero to %n {
    loop.clear %set
    loop.for %p = %zero to %n {
      %j = loop.load %crd[%p] : index
      %present = loop.insert %j into %set
    }
    %count = loop.members %set into %list : !loop.buffer<i64>
    loop.store %count, %counts[%i] : index
  }
  func.return
}
