// RUN: irtensor-opt %s -p hoist-invariants | filecheck %s

// CHECK: loop.for %i
// CHECK-NEXT: [[ROW:%.*]] = arith.muli %i, %n : index
// CHECK-NEXT: loop.for %p
// CHECK-NEXT: loop.for %j
// CHECK-NEXT: arith.addi [[ROW]], %j : index
// A division may trap, so it stays.
// CHECK-NEXT: arith.divsi %n, %n : index
func.func @rows(%n: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    loop.for %p = %zero to %n {
      loop.for %j = %zero to %n {
        %row = arith.muli %i, %n : index
        %at = arith.addi %row, %j : index
        %d = arith.divsi %n, %n : index
        loop.store %d, %y[%at] : index
      }
    }
  }
  func.return
}
