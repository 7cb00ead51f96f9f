// RUN: irtensor-opt %s -p lower-loop-to-llvm | filecheck %s

// What the host lets a device fill: a pattern, how many bytes it has, and how many of them there are.
// CHECK-LABEL: llvm.func @fills(
// CHECK-DAG: [[ZERO:%.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG: [[TWO:%.*]] = llvm.mlir.constant(2) : i64
// CHECK-DAG: [[FOUR:%.*]] = llvm.mlir.constant(4) : i64
// CHECK-DAG: [[ONE:%.*]] = llvm.mlir.constant(1) : i64
// CHECK-DAG: [[WORD:%.*]] = llvm.mlir.constant(2147483647 : i32) : i32
// CHECK: [[LENGTH:%.*]] = llvm.sub %hi, %lo : i64
// CHECK: [[WORDS:%.*]] = llvm.mul [[LENGTH]], [[TWO]] : i64
// CHECK: [[AT:%.*]] = llvm.getelementptr inbounds %y[%lo] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK: [[STATUS:%.*]] = llvm.call @irtensor.memset(%threads, [[AT]], [[ZERO]], [[FOUR]], [[WORDS]]) : (!llvm.ptr, !llvm.ptr, i32, i64, i64) -> i32
// CHECK: [[FAILED:%.*]] = llvm.icmp "ne" [[STATUS]], [[ZERO]] : i32
// CHECK: llvm.cond_br [[FAILED]]
// CHECK: [[WORDS_2:%.*]] = llvm.mul %{{.*}}, [[FOUR]] : i64
// CHECK: llvm.call @irtensor.memset(%threads, %{{.*}}, [[ZERO]], [[FOUR]], [[WORDS_2]])
// CHECK: llvm.call @irtensor.memset(%threads, %{{.*}}, [[WORD]], [[FOUR]], %{{.*}})
// CHECK: [[HALF:%.*]] = llvm.zext %h : i16 to i32
// CHECK: llvm.call @irtensor.memset(%threads, %{{.*}}, [[HALF]], [[TWO]], %{{.*}})
// CHECK: [[BYTE:%.*]] = llvm.zext %{{.*}} : i1 to i32
// CHECK: llvm.call @irtensor.memset(%threads, %{{.*}}, [[BYTE]], [[ONE]], %{{.*}})
// CHECK: [[BITS:%.*]] = llvm.bitcast %v : f32 to i32
// CHECK: llvm.call @irtensor.memset(%threads, %{{.*}}, [[BITS]], [[FOUR]], %{{.*}})
func.func @fills(%lo: index, %hi: index, %v: f32, %h: i16, %true: i1, %y: !loop.buffer<f64>, %z: !loop.buffer<complex<f64>>, %w: !loop.buffer<i64>, %k: !loop.buffer<i16>, %f: !loop.buffer<i1>, %x: !loop.buffer<f32>) {
  %zero = arith.constant 0.0 : f64
  %pair = complex.constant [0.0, 0.0] : complex<f64>
  %number = arith.constant 0x7FFFFFFF7FFFFFFF : i64
  loop.memset %zero, %y[%lo to %hi] : f64
  loop.memset %pair, %z[%lo to %hi] : complex<f64>
  loop.memset %number, %w[%lo to %hi] : i64
  loop.memset %h, %k[%lo to %hi] : i16
  loop.memset %true, %f[%lo to %hi] : i1
  loop.memset %v, %x[%lo to %hi] : f32
  func.return
}
