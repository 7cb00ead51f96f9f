// RUN: irtensor-opt --lower-loop-to-llvm %s | filecheck %s

// One operation that there is an instruction for.
// CHECK-LABEL: llvm.func @instruction(
// CHECK: llvm.atomicrmw add %{{.*}}, %v monotonic : !llvm.ptr, i32
func.func @instruction(%b: !loop.buffer<i32>, %i: index, %v: i32) {
  loop.atomic %b[%i] (%old: i32) {
    %new = arith.addi %old, %v : i32
    loop.yield %new : i32
  }
  func.return
}

// Anything else is computed from what is there, and stored if that is still there; or not, if it is the same.
// CHECK-LABEL: llvm.func @exchange(
// CHECK: [[FIRST:%.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: ^bb1([[SEEN:%.*]]: i64):
// CHECK: [[OLD:%.*]] = llvm.bitcast [[SEEN]] : i64 to f64
// CHECK: llvm.fmul [[OLD]], %{{.*}} : f64
// CHECK: llvm.icmp "eq" %{{.*}}, [[SEEN]] : i64
// CHECK: llvm.cond_br
// CHECK: llvm.cmpxchg %{{.*}}, [[SEEN]], %{{.*}} monotonic monotonic : !llvm.ptr, i64
// CHECK: llvm.extractvalue
// CHECK: llvm.cond_br
func.func @exchange(%b: !loop.buffer<f64>, %i: index, %v: f64) {
  loop.atomic %b[%i] (%old: f64) {
    %new = arith.mulf %old, %v : f64
    loop.yield %new : f64
  }
  func.return
}

// A bool is true if its byte is not zero.
// CHECK-LABEL: llvm.func @flag(
// CHECK: llvm.icmp "ne" %{{.*}} : i8
// CHECK: llvm.zext %{{.*}} : i1 to i8
// CHECK: llvm.cmpxchg
func.func @flag(%b: !loop.buffer<i1>, %i: index, %v: i1) {
  loop.atomic %b[%i] (%old: i1) {
    %new = arith.ori %old, %v : i1
    loop.yield %new : i1
  }
  func.return
}
