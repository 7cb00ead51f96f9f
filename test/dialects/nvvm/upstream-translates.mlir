// REQUIRES: mlir-translate
// RUN: irtensor-opt %s | %mlir-translate --mlir-to-llvmir | filecheck %s

// Version 22 of MLIR makes the same of a module as irtensor does.

// CHECK: @near = internal addrspace(3) global [128 x double] undef, align 16
llvm.mlir.global internal @near() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x f64>

// CHECK: define ptx_kernel void @kernel(ptr noalias %0) #[[ATTRIBUTES:[0-9]+]]
llvm.func @kernel(%to: !llvm.ptr {llvm.noalias}) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>, nvvm.minctasm = 2 : i32} {
  // CHECK: call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  nvvm.barrier0
  // CHECK: call i32 @llvm.nvvm.shfl.sync.bfly.i32(
  %other = nvvm.shfl.sync bfly %thread, %thread, %thread, %thread : i32 -> i32
  %near3 = llvm.mlir.addressof @near : !llvm.ptr<3>
  %near = llvm.addrspacecast %near3 : !llvm.ptr<3> to !llvm.ptr
  // CHECK: atomicrmw add {{.*}} syncscope("device") monotonic
  %old = llvm.atomicrmw add %to, %other syncscope("device") monotonic : !llvm.ptr, i32
  // CHECK: cmpxchg {{.*}} syncscope("block") monotonic monotonic
  %pair = llvm.cmpxchg %near, %old, %other syncscope("block") monotonic monotonic : !llvm.ptr, i32
  // CHECK: fence syncscope("device") acq_rel
  llvm.fence syncscope("device") acq_rel
  llvm.return
}

// CHECK: attributes #[[ATTRIBUTES]] = { "nvvm.maxntid"="128" "nvvm.minctasm"="2" }
