// RUN: irtensor-opt %s -p lower-loop-to-llvm | filecheck %s

// Lanes are compared with the count, of which a negative one has none.
// CHECK-LABEL: llvm.func @lanes
// CHECK-DAG:   %[[ORDER:.*]] = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
// CHECK:       %[[COUNTS:.*]] = llvm.shufflevector %{{.*}}, %{{.*}} [0, 0, 0, 0] : vector<4xi64>
// CHECK:       %[[MASK:.*]] = llvm.icmp "slt" %[[ORDER]], %[[COUNTS]] : vector<4xi64>
// CHECK:       llvm.call_intrinsic "llvm.masked.load.v4f64.p0"(%{{.*}}, %{{.*}}, %[[MASK]], %{{.*}})
// CHECK:       llvm.addresses %{{.*}}[%{{.*}}] of f64
// CHECK:       llvm.call_intrinsic "llvm.masked.gather.v4f64.v4p0"
// CHECK:       llvm.select_lanes %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf64>
func.func @lanes(%b: !loop.buffer<f64>, %n: index, %x: !loop.buffer<i64>) {
  %four = arith.constant 4 : index
  %numbers = loop.load %x[%n] : vector<4xi64>
  %a = loop.load_lanes %b[%n], %n : vector<4xf64>
  %c = loop.gather %b[%numbers], %four : vector<4xf64>
  %d = loop.select_lanes %a, %c, %n : vector<4xf64>
  %s = loop.cell %d : vector<4xf64>
  func.return
}
