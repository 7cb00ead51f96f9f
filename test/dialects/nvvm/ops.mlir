// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --mlir-print-op-generic | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK: llvm.func @kernel(%to: !llvm.ptr) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>, nvvm.minctasm = 2 : i32} {
llvm.func @kernel(%to: !llvm.ptr) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>, nvvm.minctasm = 2 : i32} {
  // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  // GENERIC: "nvvm.read.ptx.sreg.tid.x"() <{range = #llvm.constant_range<i32, 0, 128>}> : () -> i32
  %thread = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  // CHECK-NEXT: nvvm.read.ptx.sreg.ntid.x : i32
  %threads = nvvm.read.ptx.sreg.ntid.x : i32
  // CHECK-NEXT: nvvm.read.ptx.sreg.ctaid.x : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  // CHECK-NEXT: nvvm.read.ptx.sreg.nctaid.x : i32
  %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
  // CHECK-NEXT: nvvm.read.ptx.sreg.laneid range <i32, 0, 32> : i32
  %lane = nvvm.read.ptx.sreg.laneid range <i32, 0, 32> : i32
  // CHECK-NEXT: nvvm.barrier0
  nvvm.barrier0
  llvm.return
}

// CHECK-LABEL: llvm.func @lanes
llvm.func @lanes(%mask: i32, %value: i32, %wide: i64, %float: f32, %condition: i1) {
  // CHECK: nvvm.bar.warp.sync %{{.*}} : i32
  nvvm.bar.warp.sync %mask : i32
  // CHECK-NEXT: nvvm.shfl.sync bfly %mask, %float, %value, %value : f32 -> f32
  // GENERIC: "nvvm.shfl.sync"{{.*}} <{kind = #nvvm<shfl_kind bfly>}>
  %0 = nvvm.shfl.sync bfly %mask, %float, %value, %value : f32 -> f32
  // CHECK-NEXT: nvvm.shfl.sync up %mask, %value, %value, %value : i32 -> i32
  %1 = nvvm.shfl.sync up %mask, %value, %value, %value : i32 -> i32
  // CHECK-NEXT: nvvm.shfl.sync down
  %2 = nvvm.shfl.sync down %mask, %value, %value, %value : i32 -> i32
  // CHECK-NEXT: nvvm.shfl.sync idx
  %3 = nvvm.shfl.sync idx %mask, %value, %value, %value : i32 -> i32
  // CHECK-NEXT: nvvm.vote.sync ballot %mask, %condition -> i32
  // GENERIC: <{kind = #nvvm<vote_sync_kind ballot>}>
  %4 = nvvm.vote.sync ballot %mask, %condition -> i32
  // CHECK-NEXT: nvvm.vote.sync any %mask, %condition -> i1
  %5 = nvvm.vote.sync any %mask, %condition -> i1
  // CHECK-NEXT: nvvm.vote.sync all %mask, %condition -> i1
  %6 = nvvm.vote.sync all %mask, %condition -> i1
  // CHECK-NEXT: nvvm.vote.sync uni %mask, %condition -> i1
  %7 = nvvm.vote.sync uni %mask, %condition -> i1
  // CHECK-NEXT: nvvm.redux.sync add %value, %mask : i32 -> i32
  // GENERIC: <{kind = #nvvm<reduction_kind add>}>
  %8 = nvvm.redux.sync add %value, %mask : i32 -> i32
  // CHECK-NEXT: nvvm.redux.sync umin %value, %mask : i32 -> i32
  %9 = nvvm.redux.sync umin %value, %mask : i32 -> i32
  // CHECK-NEXT: nvvm.match.sync any %mask, %wide : i64 -> i32
  // GENERIC: <{kind = #nvvm<match_sync_kind any>}>
  %10 = nvvm.match.sync any %mask, %wide : i64 -> i32
  // CHECK-NEXT: nvvm.match.sync all %mask, %value : i32 -> !llvm.struct<(i32, i1)>
  %11 = nvvm.match.sync all %mask, %value : i32 -> !llvm.struct<(i32, i1)>
  llvm.return
}
