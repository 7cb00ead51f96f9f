// RUN: irtensor-opt %s -p carry-elements | filecheck %s

// Where a segment begins is where the one before ends.
// CHECK-LABEL: func.func @rows
// CHECK:     %[[NEXT:.*]] = loop.cell %{{.*}} : i32
// CHECK:     %[[ANY:.*]] = arith.cmpi slt, %first, %n : index
// CHECK:     loop.if %[[ANY]] {
// CHECK:       %[[START:.*]] = arith.addi %base, %first : index
// CHECK:       %[[BEGIN:.*]] = loop.load %pos[%[[START]]] : i32
// CHECK:       loop.set %[[BEGIN]], %[[NEXT]] : i32
// CHECK:     loop.for %i = %first to %n {
// CHECK-NEXT:  %[[HERE:.*]] = loop.get %[[NEXT]] : i32
// CHECK:       arith.index_cast %[[HERE]] : i32 to index
// CHECK:       %e = loop.load %pos[%{{.*}}] : i32
// CHECK-NEXT:  loop.set %e, %[[NEXT]] : i32
// CHECK-NOT:   loop.load %pos
// CHECK:     func.return
func.func @rows(%pos: !loop.buffer<i32>, %y: !loop.buffer<i32>, %base: index, %first: index, %n: index) {
  %one = arith.constant 1 : index
  loop.for %i = %first to %n {
    %k = arith.addi %base, %i : index
    %b = loop.load %pos[%k] : i32
    %begin = arith.index_cast %b : i32 to index
    %l = arith.addi %k, %one : index
    %e = loop.load %pos[%l] : i32
    %end = arith.index_cast %e : i32 to index
    loop.for %p = %begin to %end {
      loop.store %e, %y[%p] : i32
    }
  }
  func.return
}
