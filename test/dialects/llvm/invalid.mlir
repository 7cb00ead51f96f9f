// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

llvm.func @no_pointer(%v: i64) {
  // expected-error @+1 {{pointers have address spaces, i64 has none}}
  %0 = llvm.addrspacecast %v : i64 to !llvm.ptr
  llvm.return
}

// -----

llvm.func @exchange(%p: !llvm.ptr, %v: i64) {
  // expected-error @+1 {{the result of an exchange of i64 is !llvm.struct<(i64, i1)>, not !llvm.struct<(i32, i1)>}}
  %0 = "llvm.cmpxchg"(%p, %v, %v) <{success_ordering = "monotonic", failure_ordering = "monotonic"}> : (!llvm.ptr, i64, i64) -> !llvm.struct<(i32, i1)>
  llvm.return
}

// -----

llvm.func @unknown_hint() {
  // expected-error @+1 {{llvm.loop_unroll has no 'full', only disable, count}}
  llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
^bb1:
  llvm.return
}

// -----

llvm.func @no_number() {
  // expected-error @+1 {{'count' is a number, not "four"}}
  llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = <count = "four">>}
^bb1:
  llvm.return
}

// -----

llvm.func @unknown_part() {
  // expected-error @+1 {{llvm.loop_annotation has hints vectorize, interleave, unroll, parallelAccesses, not 'unroll' that is #llvm.loop_interleave<count = 1 : i64>}}
  llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_interleave<count = 1 : i64>>}
^bb1:
  llvm.return
}
