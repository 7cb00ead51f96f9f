// RUN: irtensor-opt %s -p 'spread-prefix-sums{threads=32}' | filecheck %s
// RUN: irtensor-opt %s -p spread-prefix-sums,outline-launches,device-to-nvvm | filecheck %s --check-prefix NVVM

// A tile for 16 elements of each thread, 1024 at most. Sums of tiles are computed only if there are several.
// CHECK-LABEL: func.func @starts
// CHECK:       loop.scratch : i64
// CHECK:       %tiles = arith.maxsi
// CHECK:       [[SEVERAL:%.*]] = arith.cmpi sgt, %tiles
// CHECK-NEXT:  loop.if [[SEVERAL]] {
// CHECK:         loop.parallel %block = %{{.*}} to %tiles on blocks(32) {
// CHECK-NEXT:      %shared = loop.shared 64 : index
// CHECK:           loop.parallel %thread = %{{.*}} on threads {
// CHECK:             loop.load %b
// CHECK:           loop.for %{{.*}} {
// CHECK:             loop.parallel %{{.*}} on threads {
// CHECK:           loop.store %{{.*}}, [[SUMS:%.*]][%block] : i64
// CHECK-NEXT:    }
// CHECK:         loop.parallel %block{{.*}} = %{{.*}} to [[ONE:%.*]] on blocks(32) {
// CHECK:           loop.store %{{.*}}, [[SUMS]]
// CHECK:       }
// CHECK:       loop.parallel [[BLOCK:%block.*]] = %{{.*}} to %tiles on blocks(32) {
// CHECK:         [[SUM:%.*]] = loop.cell %{{.*}} : index
// CHECK-NEXT:    loop.if [[SEVERAL]] {
// CHECK-NEXT:      loop.load %{{.*}}[[[BLOCK]]] : i64
// CHECK:         loop.parallel %{{.*}} on threads {
// CHECK:           loop.store %{{.*}}, %b
// CHECK:         loop.if
// CHECK-NEXT:      [[ALL:%.*]] = loop.get [[SUM]] : index
// CHECK:           loop.store %{{.*}}, %b[%hi] : i32
// NVVM-COUNT-2: nvvm.barrier0
// NVVM-NOT:     loop.
func.func @starts(%b: !loop.buffer<i32>, %lo: index, %hi: index) {
  loop.prefix_sum %b[%lo to %hi] : i32
  func.return
}
