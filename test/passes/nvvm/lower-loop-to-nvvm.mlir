// RUN: irtensor-opt %s --split-input-file -p lower-loop-to-nvvm | filecheck %s

// Each thread begins with the iteration of its number in the grid, and goes on by as many as there are threads.
// CHECK-LABEL: llvm.func @fill(
// CHECK-SAME: %n: i64 {llvm.noundef}, %x: !llvm.ptr {llvm.noundef, llvm.noalias}) attributes {nvvm.kernel, no_unwind} {
// CHECK: nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: nvvm.read.ptx.sreg.ntid.x : i32
// CHECK: nvvm.read.ptx.sreg.tid.x : i32
// CHECK: nvvm.read.ptx.sreg.nctaid.x : i32
// CHECK: [[STEP:%.*]] = llvm.mul
// CHECK: [[FIRST:%.*]] = llvm.add %0, %{{.*}} overflow<nsw> : i64
// CHECK: llvm.icmp "slt" [[FIRST]], %n
// CHECK: llvm.cond_br %{{.*}}, ^bb1(
// CHECK: ^bb1([[I:%.*]]: i64):
// CHECK: llvm.store [[I]]
// CHECK: llvm.add [[I]], [[STEP]]
// CHECK: llvm.return
// CHECK-NEXT: }
func.func @fill(%n: index, %x: !loop.buffer<index> {llvm.noalias}) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    loop.store %i, %x[%i] : index
  }
  func.return
}

// -----

// Functions of mathematics are those of the device's library; fills and copies are loops. What the host runs is left.
// CHECK-LABEL: llvm.func @more(
// CHECK: llvm.call @__nv_expf(%v)
// CHECK-NOT: memset
// CHECK-NOT: memmove
// CHECK: llvm.return
// CHECK: func.func @host
func.func @more(%n: index, %x: !loop.buffer<f32>, %v: f32) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  loop.parallel %i = %zero to %n {
    loop.fill %none, %x[%zero to %i] : f32
    %w = math.exp %v : f32
    loop.store %w, %x[%i] : f32
    loop.copy %x[%zero], %x[%i], %i : f32
  }
  func.return
}
func.func @host(%n: index) {
  func.return
}
