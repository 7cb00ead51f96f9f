// RUN: irtensor-opt %s -p lower-loop-to-llvm | filecheck %s

// One of two vectors by a condition of all lanes: as bits, which needs no branch for each vector.
// CHECK-LABEL: llvm.func @lanes_that_share_a_condition
// CHECK: [[MASK:%[a-z0-9_]+]] = llvm.sext %{{.*}} : i1 to i32
// CHECK: llvm.freeze [[MASK]]
// CHECK: llvm.and {{.*}} : vector<8xi32>
// CHECK-NOT: llvm.select
func.func @lanes_that_share_a_condition(%c: i1, %x: !loop.buffer<f32>) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = loop.load %x[%0] : vector<8xf32>
  %b = vector.broadcast %zero : f32 to vector<8xf32>
  %chosen = arith.select %c, %a, %b : vector<8xf32>
  loop.store %chosen, %x[%0] : vector<8xf32>
  func.return
}

// A loop is tested at its end, behind a guard; index arithmetic does not wrap; accesses are inbounds.
// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: i64 {llvm.noundef}, %{{.*}}: !llvm.ptr {llvm.noalias, llvm.nonnull, llvm.noundef}
func.func @sum(%n: index, %a: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  // CHECK: [[CELL:%.*]] = llvm.alloca
  // CHECK: [[GUARD:%.*]] = llvm.icmp "slt"
  // CHECK-NEXT: llvm.cond_br [[GUARD]], [[BODY:\^.*]](%{{.*}} : i64), [[END:\^.*]]
  %s = loop.cell %z : f64
  loop.for %i = %c0 to %n attributes {unroll = 2 : i64} {
    // CHECK: llvm.getelementptr inbounds %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f64
    // CHECK-NEXT: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> f64
    %x = loop.load %a[%i] : f64
    // CHECK-NEXT: llvm.load [[CELL]] : !llvm.ptr -> f64
    %old = loop.get %s : f64
    // CHECK-NEXT: llvm.fadd {{.*}}#llvm.fastmath<reassoc>
    %new = arith.addf %old, %x fastmath<reassoc> : f64
    loop.set %new, %s : f64
    // CHECK: llvm.add %{{.*}}, %{{.*}} overflow<nsw> : i64
    // CHECK: llvm.cond_br {{.*}}loop_annotation = #llvm.loop_annotation<unroll = <count = 2 : i64>>
  }
  %r = loop.get %s : f64
  loop.store %r, %a[%c0] : f64
  // CHECK: llvm.return %{{.*}} : i32
  func.return
}

// Loads and stores of independent iterations are in a group, but for those of which that is not known.
// CHECK-LABEL: llvm.func @scatter(
func.func @scatter(%n: index, %crd: !loop.buffer<index>, %a: !loop.buffer<f64>, %b: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n attributes {independent, vectorize = 4 : i64} {
    // CHECK: llvm.load {{.*}}access_groups = [#llvm.access_group<id = distinct[0]<>>]
    %at = loop.load %crd[%i] {apart} : index
    // CHECK: llvm.load {{.*}}access_groups = [#llvm.access_group<id = distinct[0]<>>]
    %x = loop.load %a[%at] {apart} : f64
    // CHECK: llvm.store {{.*}}access_groups = [#llvm.access_group<id = distinct[0]<>>]
    loop.store %x, %a[%at] {apart} : f64
    // CHECK-NOT: access_groups
    loop.store %x, %b[%at] : f64
    // CHECK: llvm.cond_br {{.*}}parallelAccesses = #llvm.access_group<id = distinct[0]<>>
  }
  // CHECK-NOT: access_groups
  %x = loop.load %a[%c0] {apart} : f64
  loop.store %x, %b[%c0] : f64
  // CHECK: llvm.return
  func.return
}

// A float from memory is selected as an integer of its bits, and frozen, else LLVM turns it into a selection of floats; one that is computed is left in its register.
// CHECK-LABEL: llvm.func @choices(
func.func @choices(%c: i1, %i: index, %a: !loop.buffer<f32>) {
  %z = arith.constant 0.0 : f32
  // CHECK: [[X:%.*]] = llvm.load
  %x = loop.load %a[%i] : f32
  // CHECK-DAG: [[BITS:%.*]] = llvm.bitcast [[X]] : f32 to i32
  // CHECK: [[CHOICE:%.*]] = llvm.select {{.*}}, [[BITS]], {{.*}} : i1, i32
  // CHECK-NEXT: [[FROZEN:%.*]] = llvm.freeze [[CHOICE]] : i32
  // CHECK-NEXT: [[Y:%.*]] = llvm.bitcast [[FROZEN]] : i32 to f32
  %y = arith.select %c, %x, %z : f32
  // CHECK-NEXT: [[SUM:%.*]] = llvm.fadd [[Y]], [[X]]
  %sum = arith.addf %y, %x : f32
  // CHECK-NEXT: llvm.select {{.*}}, [[SUM]], {{.*}} : i1, f32
  %r = arith.select %c, %sum, %z : f32
  loop.store %r, %a[%i] : f32
  func.return
}

// A complex number is two floats, in memory and at the call; a bool is a byte.
// CHECK-LABEL: llvm.func @pairs(
// CHECK-SAME: f32 {llvm.noundef}, %{{.*}}: f32 {llvm.noundef}, %{{.*}}: i8 {llvm.noundef}
func.func @pairs(%z: complex<f32>, %t: i1, %a: !loop.buffer<complex<f32>>, %b: !loop.buffer<i1>, %n: index) {
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : f32
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : f32
  loop.store %z, %a[%n] : complex<f32>
  // CHECK: llvm.zext %{{.*}} : i1 to i8
  loop.store %t, %b[%n] : i1
  func.return
}

// To make room once is a call; on failure the slot stays as it is, and the status is 1.
// CHECK-LABEL: llvm.func @append(
func.func @append(%g: !loop.growable<i32>, %n: index) {
  // CHECK-NOT: llvm.icmp "sgt"
  // CHECK: %[[STATUS:.*]] = llvm.call @irtensor.reserve(%{{.*}}, %{{.*}}, %{{.*}})
  // CHECK-NEXT: llvm.icmp "ne" %[[STATUS]]
  // CHECK-NEXT: llvm.cond_br {{.*}}branch_weights
  loop.reserve %g, %n : i32
  loop.set_size %g, %n : i32
  func.return
}

// In a loop the comparison is in the kernel, as the call is rare: that is of the slow path only.
// CHECK-LABEL: llvm.func @append_again(
func.func @append_again(%g: !loop.growable<i32>, %n: index, %m: index) {
  loop.for %i = %m to %n {
    // CHECK: llvm.icmp "sgt"
    // CHECK-NEXT: llvm.cond_br {{.*}}branch_weights
    // CHECK: llvm.call @irtensor.grow
    loop.reserve %g, %i : i32
  }
  loop.set_size %g, %n : i32
  func.return
}

// A growable of the function's own is empty at first, and freed whether or not the function succeeds.
// CHECK-LABEL: llvm.func @scratch(
func.func @scratch(%y: !loop.buffer<i32>, %n: index) {
  // CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x vector<3xi64>
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
  // CHECK-NEXT: llvm.store %[[NULL]], %[[SLOT]]
  // CHECK: %[[STATUS:.*]] = llvm.call @irtensor.reserve(%[[SLOT]]
  // CHECK: llvm.cond_br %{{.*}}, ^bb[[EXIT:[0-9]+]](%[[STATUS]] : i32)
  %g = loop.scratch : i32
  loop.reserve %g, %n : i32
  %d = loop.data %g : i32
  %v = loop.load %d[%n] : i32
  loop.store %v, %y[%n] : i32
  // CHECK: ^bb[[EXIT]](%[[RESULT:.*]]: i32):
  // CHECK-NEXT: %[[DATA:.*]] = llvm.load %[[SLOT]]
  // CHECK-NEXT: llvm.call @free(%[[DATA]]) : (!llvm.ptr) -> ()
  // CHECK-NEXT: llvm.return %[[RESULT]] : i32
  func.return
}

// Zero bytes are written by memset, also through a growable; ranges that may overlap are moved.
// CHECK-LABEL: llvm.func @blocks(
func.func @blocks(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  // CHECK: llvm.call_intrinsic "llvm.memset.p0.i64"
  loop.fill %z, %a[%c0 to %n] : f64
  // CHECK: llvm.call_intrinsic "llvm.memcpy.p0.p0.i64"
  loop.copy %a[%c0], %b[%c0], %n : f64
  // CHECK: llvm.call_intrinsic "llvm.memmove.p0.p0.i64"
  loop.copy %a[%c0], %a[%n], %n : f64
  func.return
}

// A set is a bitmap and its summaries: another bitmap, and bytes. All are stored to without a branch.
// CHECK-LABEL: llvm.func @set(
func.func @set(%n: index, %i: index, %y: !loop.buffer<i1>, %list: !loop.buffer<i64>) {
  // CHECK: llvm.call @irtensor.reserve(
  // CHECK: llvm.call_intrinsic "llvm.memset.p0.i64"
  %set = loop.index_set %n
  // CHECK: %[[WORD:.*]] = llvm.load
  // CHECK: %[[NEW:.*]] = llvm.or %[[WORD]], %[[BIT:.*]] : i64
  // CHECK: llvm.store %[[NEW]]
  // CHECK-NEXT: %[[OLD:.*]] = llvm.and %[[WORD]], %[[BIT]] : i64
  // CHECK-NEXT: llvm.icmp "ne" %[[OLD]]
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.or {{.*}} : i64
  // CHECK-NEXT: llvm.store {{.*}} : i64, !llvm.ptr
  // CHECK-NOT: llvm.load
  // CHECK: llvm.store {{.*}} {alignment = 1 : i64} : i8, !llvm.ptr
  // CHECK: llvm.store {{.*}} {alignment = 1 : i64} : i8, !llvm.ptr
  %before = loop.insert %i into %set
  loop.store %before, %y[%i] : i1
  // CHECK: llvm.call @irtensor.set.members(
  %count = loop.members %set into %list : !loop.buffer<i64>
  // CHECK: llvm.call @irtensor.set.clear(
  loop.clear %set
  func.return
}

// Of a set whose members are never listed there is a byte for each integer, and no branch.
// CHECK-LABEL: llvm.func @unlisted(
func.func @unlisted(%n: index, %i: index, %y: !loop.buffer<i1>) {
  // CHECK: llvm.call_intrinsic "llvm.memset.p0.i64"
  %set = loop.index_set %n
  // CHECK: %[[BYTE:.*]] = llvm.load {{.*}} -> i8
  // CHECK: llvm.store {{.*}} : i8, !llvm.ptr
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.icmp "ne" %[[BYTE]]
  %before = loop.insert %i into %set
  loop.store %before, %y[%i] : i1
  // CHECK: llvm.load {{.*}} -> i8
  // CHECK: llvm.store {{.*}} : i8, !llvm.ptr
  %taken = loop.remove %i from %set
  loop.store %taken, %y[%i] : i1
  func.return
}

// A map grows where it is inserted into, and says that it is out of memory by the way out of the function.
// CHECK-LABEL: llvm.func @map(
func.func @map(%i: index, %j: index, %a: !loop.buffer<i64>) {
  %map = loop.index_map
  // CHECK: %[[STATUS:.*]] = llvm.call @irtensor.map.widen(
  // CHECK: llvm.icmp "ne" %[[STATUS]]
  // CHECK: llvm.call @irtensor.map.insert(
  %slot, %before = loop.map_insert %i, %j into %map
  // CHECK: %[[HELD:.*]] = llvm.call @irtensor.map.find(
  // CHECK: %[[PRESENT:.*]] = llvm.icmp "ne" %[[HELD]], %{{.*}} : i64
  // CHECK: llvm.select %[[PRESENT]], %{{.*}}, %{{.*}} : i1, i64
  %found, %there = loop.map_find %i, %j in %map
  // CHECK: llvm.call @irtensor.map.list(
  loop.map_list %map for %i into %a, %a, %a : !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>
  // CHECK: llvm.call @irtensor.map.change(
  loop.map_clear %map
  func.return
}

// CHECK: llvm.func @irtensor.grow(!llvm.ptr, i64, i64) -> i32
