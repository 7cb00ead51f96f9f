// RUN: irtensor-opt -t ptx --cuda-arch=sm_90 %s | filecheck %s --check-prefixes=CHECK,HOPPER
// RUN: irtensor-opt -t ptx %s | filecheck %s --check-prefixes=CHECK,TURING
// RUN: irtensor-opt -t 'ptx{arch=sm_90}' %s | filecheck %s --check-prefixes=CHECK,HOPPER

// TURING: .version 6.3
// TURING-NEXT: .target sm_75
// HOPPER: .version 7.8
// HOPPER-NEXT: .target sm_90
// CHECK: .visible .entry scale(
// CHECK: .maxntid 128
llvm.func @scale(%from: !llvm.ptr {llvm.noalias, llvm.readonly}, %to: !llvm.ptr {llvm.noalias}, %by: f64) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  // CHECK: mov.u32 {{.*}}%tid.x;
  %thread = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %i = llvm.zext %thread : i32 to i64
  %a = llvm.getelementptr inbounds %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  // CHECK: ld.global.nc
  %x = llvm.load %a {alignment = 8 : i64} : !llvm.ptr -> f64
  // CHECK: mul.rn.f64
  %y = llvm.fmul %x, %by : f64
  %b = llvm.getelementptr inbounds %to[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  // CHECK: st.global
  llvm.store %y, %b {alignment = 8 : i64} : f64, !llvm.ptr
  llvm.return
}
