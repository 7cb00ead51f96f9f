// RUN: irtensor-opt %s -p lower-prefix-sums | filecheck %s
// RUN: irtensor-opt %s -p lower-prefix-sums,lower-loop-to-llvm | filecheck %s --check-prefix LLVM

// Sums begin with 0, or with a number; the sum of all is stored behind the elements.
// CHECK-LABEL: func.func @starts
// CHECK:       [[ZERO:%.*]] = arith.constant 0 : index
// CHECK-NEXT:  [[SUM:%.*]] = loop.cell [[ZERO]] : index
// CHECK-NEXT:  loop.for [[P:%.*]] = %lo to %hi attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK-NEXT:    [[N32:%.*]] = loop.load %b[[[P]]] : i32
// CHECK-NEXT:    [[N:%.*]] = arith.index_cast [[N32]] : i32 to index
// CHECK-NEXT:    [[BEFORE:%.*]] = loop.get [[SUM]] : index
// CHECK-NEXT:    [[B32:%.*]] = arith.index_cast [[BEFORE]] : index to i32
// CHECK-NEXT:    loop.store [[B32]], %b[[[P]]] : i32
// CHECK-NEXT:    [[MORE:%.*]] = arith.addi [[BEFORE]], [[N]] : index
// CHECK-NEXT:    loop.set [[MORE]], [[SUM]] : index
// CHECK-NEXT:  }
// CHECK-NEXT:  [[ALL:%.*]] = loop.get [[SUM]] : index
// CHECK-NEXT:  [[A32:%.*]] = arith.index_cast [[ALL]] : index to i32
// CHECK-NEXT:  loop.store [[A32]], %b[%hi] : i32
// CHECK-NEXT:  loop.cell %first : index
// CHECK-NEXT:  loop.for
// CHECK-NOT:   prefix_sum
// LLVM-NOT:    loop.
func.func @starts(%b: !loop.buffer<i32>, %lo: index, %hi: index, %first: index, %c: !loop.buffer<index>) {
  loop.prefix_sum %b[%lo to %hi] : i32
  loop.prefix_sum %c[%first to %hi] from %first : index
  func.return
}

// One loop for sums over the same range that follow each other.
// CHECK-LABEL: func.func @together
// CHECK:       loop.for
// CHECK-NEXT:    loop.load %b
// CHECK:         loop.store {{.*}}, %b
// CHECK:         loop.load %c
// CHECK:         loop.store {{.*}}, %c
// CHECK:       }
// CHECK:       loop.store {{.*}}, %b[%hi]
// CHECK:       loop.store {{.*}}, %c[%hi]
// CHECK-NOT:   loop.for
func.func @together(%b: !loop.buffer<i64>, %c: !loop.buffer<i64>, %lo: index, %hi: index) {
  loop.prefix_sum %b[%lo to %hi] : i64
  loop.prefix_sum %c[%lo to %hi] : i64
  func.return
}
