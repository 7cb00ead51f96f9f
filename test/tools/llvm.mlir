// The target llvm writes all that a lowering makes, and what only xDSL's writer knows.
// RUN: irtensor-opt -t llvm --split-input-file --index-notation-to-llvm=poll-interrupts %s | filecheck %s

// CHECK-LABEL: define i32 @copy(
// CHECK-SAME: ptr noalias nonnull noundef
// The pool of threads, which polls ask.
// CHECK: store ptr %threads{{[.0-9]*}}, ptr %
// CHECK: br i1 {{.*}}, !prof ![[WEIGHTS:[0-9]+]]
// CHECK: call preserve_mostcc i64 @irtensor.poll(
// CHECK: ![[WEIGHTS]] = !{!"branch_weights", i32 1, i32 2000}
func.func @copy(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %e = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %e : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK: @"hello" = internal constant [6 x i8] c"hello\00"
llvm.mlir.global internal constant @hello("hello\00") {addr_space = 0 : i32} : !llvm.array<6 x i8>

// -----

// Names that LLVM has in quotes only.
// CHECK:      define void @"a b"() {
// CHECK-NEXT: b0:
// CHECK-NEXT:   call void @"\C3\A9%"()
// CHECK:      declare void @"\C3\A9%"()
llvm.func @"a b"() {
  llvm.call @"é%"() : () -> ()
  llvm.return
}
llvm.func @"é%"()
