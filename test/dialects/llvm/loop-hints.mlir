// RUN: irtensor-opt %s | irtensor-opt | filecheck %s

// Upstream prints the parts of a hint as aliases; both forms are read.
#unroll = #llvm.loop_unroll<disable = true>
#annotation = #llvm.loop_annotation<unroll = #unroll>

// CHECK-LABEL: llvm.func @loops
llvm.func @loops(%c: i1) {
  // CHECK: llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<vectorize = <predicateEnable = true, width = 8 : i64>, interleave = <count = 1 : i64>>}
  llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<vectorize = <predicateEnable = true, width = 8 : i64>, interleave = <count = 1 : i64>>}
^bb1:
  // CHECK: llvm.cond_br %c, ^bb1, ^bb2 {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  llvm.cond_br %c, ^bb1, ^bb2 {loop_annotation = #annotation}
^bb2:
  // CHECK: llvm.cond_br %c, ^bb2, ^bb3 {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 4 : i64>>}
  llvm.cond_br %c, ^bb2, ^bb3 {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 4 : i64>>}
^bb3:
  llvm.return
}

// Loads and stores of a group are independent of those in other iterations of the loop that names it.
#group = #llvm.access_group<id = distinct[0]<>>
// CHECK-LABEL: llvm.func @accesses
llvm.func @accesses(%d: i1, %p: !llvm.ptr, %x: i64) {
  llvm.br ^bb1
^bb1:
  // CHECK: llvm.store %x, %p {access_groups = [#llvm.access_group<id = distinct[0]<>>]} : i64, !llvm.ptr
  "llvm.store"(%x, %p) <{ordering = 0 : i64}> {access_groups = [#group]} : (i64, !llvm.ptr) -> ()
  // CHECK: llvm.cond_br %d, ^bb1, ^bb2 {loop_annotation = #llvm.loop_annotation<vectorize = <width = 4 : i64>, parallelAccesses = #llvm.access_group<id = distinct[0]<>>>}
  llvm.cond_br %d, ^bb1, ^bb2 {loop_annotation = #llvm.loop_annotation<vectorize = <width = 4 : i64>, parallelAccesses = #group>}
^bb2:
  llvm.return
}
