// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --mlir-print-op-generic | irtensor-opt | filecheck %s

// CHECK-LABEL: llvm.func @shared
llvm.func @shared(%near: !llvm.ptr<3>, %v: f64, %i: i64) {
  // CHECK: llvm.addrspacecast %near : !llvm.ptr<3> to !llvm.ptr
  %p = llvm.addrspacecast %near : !llvm.ptr<3> to !llvm.ptr
  // CHECK-NEXT: llvm.atomicrmw fadd %p, %v monotonic : !llvm.ptr, f64
  %0 = llvm.atomicrmw fadd %p, %v monotonic : !llvm.ptr, f64
  // CHECK-NEXT: llvm.atomicrmw add %near, %i syncscope("block") monotonic : !llvm.ptr<3>, i64
  %1 = llvm.atomicrmw add %near, %i syncscope("block") monotonic : !llvm.ptr<3>, i64
  // CHECK-NEXT: llvm.cmpxchg %p, %i, %i acq_rel monotonic : !llvm.ptr, i64
  %2 = llvm.cmpxchg %p, %i, %i acq_rel monotonic : !llvm.ptr, i64
  // CHECK-NEXT: llvm.cmpxchg %p, %i, %1 syncscope("device") monotonic monotonic {note = 1 : i64} : !llvm.ptr, i64
  %3 = llvm.cmpxchg %p, %i, %1 syncscope("device") monotonic monotonic {note = 1 : i64} : !llvm.ptr, i64
  // CHECK-NEXT: llvm.extractvalue %{{.*}}[1] : !llvm.struct<(i64, i1)>
  %4 = llvm.extractvalue %3[1] : !llvm.struct<(i64, i1)>
  // CHECK-NEXT: llvm.fence seq_cst
  llvm.fence seq_cst
  // CHECK-NEXT: llvm.fence syncscope("device") acq_rel
  llvm.fence syncscope("device") acq_rel
  llvm.return
}
