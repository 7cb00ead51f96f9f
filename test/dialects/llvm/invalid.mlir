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
