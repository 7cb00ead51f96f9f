// RUN: irtensor-opt %s -p place-barriers | filecheck %s

// Iterations of loops without units have a thread each, and none waits for another: what two of them do with one
// element is up to the author. Iterations of a loop on threads that change an element atomically do not wait either.
// CHECK-NOT: loop.barrier
// CHECK:     loop.atomic
// CHECK-NOT: loop.barrier
// CHECK:     loop.atomic
// CHECK-NOT: loop.barrier
func.func @no_barriers(%n: index, %y: !loop.buffer<index>) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n {
    loop.store %i, %y[%c0] : index
    %v = loop.load %y[%c0] : index
    loop.store %v, %y[%i] : index
  }
  loop.parallel %b = %c0 to %n on blocks(32) {
    loop.parallel %t = %c0 to %c32 on threads {
      loop.atomic %y[%c0] (%old: index) {
        %new = arith.addi %old, %c1 : index
        loop.yield %new : index
      }
    }
    loop.parallel %t = %c0 to %c32 on threads {
      loop.atomic %y[%c0] (%old: index) {
        %new = arith.addi %old, %t : index
        loop.yield %new : index
      }
    }
  }
  func.return
}
