// RUN: irtensor-opt %s -p 'spread-prefix-sums{threads=32}' | filecheck %s
// RUN: irtensor-opt %s -p spread-prefix-sums,outline-launches,device-to-nvvm | filecheck %s --check-prefix NVVM
// RUN: irtensor-opt %s -p spread-prefix-sums,outline-launches | filecheck %s --check-prefix KERNELS

// A tile for 16 elements of each thread, 1024 at most. Sums of tiles are computed only if there are several.
// CHECK-LABEL: func.func @starts
// CHECK:       loop.scratch : i32
// CHECK:       %tiles = arith.maxsi
// CHECK:       [[SEVERAL:%.*]] = arith.cmpi sgt, %tiles
// CHECK-NEXT:  loop.if [[SEVERAL]] {
// CHECK:         loop.parallel %block = %{{.*}} to %tiles on blocks(32) {
// CHECK-NEXT:      %shared = loop.shared 64 : index
// CHECK:           loop.parallel %thread = %{{.*}} on threads {
// CHECK:             loop.load %b
// CHECK:           loop.for %{{.*}} {
// CHECK:             loop.parallel %{{.*}} on threads {
// CHECK:           loop.store %{{.*}}, [[SUMS:%.*]][%block] : i32
// CHECK-NEXT:    }
// CHECK:         [[ONE:%.*]] = arith.minsi %tiles, %{{.*}} : index
// CHECK:         loop.parallel %block{{.*}} = %{{.*}} to [[ONE]] on blocks(32) {
// CHECK:           loop.store %{{.*}}, [[SUMS]]
// CHECK:           loop.store %{{.*}}, [[SUMS]][%tiles] : i32
// CHECK:       }
// CHECK:       loop.parallel [[BLOCK:%block.*]] = %{{.*}} to %tiles on blocks(32) {
// CHECK:         [[SUM:%.*]] = loop.cell %{{.*}} : index
// CHECK-NEXT:    arith.constant 1
// CHECK-NEXT:    [[TILED:%.*]] = arith.cmpi sgt, %tiles
// CHECK-NEXT:    loop.if [[TILED]] {
// CHECK-NEXT:      loop.load %{{.*}}[[[BLOCK]]] : i32
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

// Where the range begins at 0, one kernel computes the sums of tiles before each and those of elements.
// KERNELS-LABEL: func.func @from_zero
// KERNELS: loop.launch %tiles of @from_zero_kernels::@from_zero_0(
// KERNELS: loop.launch %{{.*}} of @from_zero_kernels::@from_zero_1(
// KERNELS: loop.launch %tiles of @from_zero_kernels::@from_zero_1(
func.func @from_zero(%b: !loop.buffer<i64>, %hi: index) {
  %zero = arith.constant 0 : index
  loop.prefix_sum %b[%zero to %hi] : i64
  func.return
}
