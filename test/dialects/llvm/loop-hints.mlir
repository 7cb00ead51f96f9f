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
