// REQUIRES: mlir-opt
// RUN: irtensor-opt %s -p lower-loop-to-llvm | %mlir-opt | filecheck %s

// What comes out of the pipeline is read by MLIR's own tool, hints about loops among it.
// CHECK-DAG: [[UNROLL:#.*]] = #llvm.loop_unroll<count = 2 : i64>
// CHECK-DAG: [[HINTS:#.*]] = #llvm.loop_annotation<unroll = [[UNROLL]]>
// CHECK: llvm.func @sum(
func.func @sum(%n: index, %a: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n attributes {unroll = 2 : i64} {
    %x = loop.load %a[%i] : f64
    %y = arith.addf %x, %x : f64
    loop.store %y, %a[%i] : f64
    // CHECK: llvm.cond_br {{.*}}loop_annotation = [[HINTS]]
  }
  func.return
}

// CHECK: llvm.func @scatter(
func.func @scatter(%n: index, %crd: !loop.buffer<index>, %a: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n attributes {independent, vectorize = 4 : i64} {
    %at = loop.load %crd[%i] {apart} : index
    %x = loop.load %a[%at] {apart} : f64
    %y = arith.addf %x, %x : f64
    loop.store %y, %a[%at] {apart} : f64
    // CHECK: llvm.store {{.*}}access_groups = [
  }
  func.return
}
