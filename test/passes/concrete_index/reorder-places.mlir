// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},reorder{order="i1","i0"}' | filecheck %s
// RUN: irtensor-opt %s -p 'divide{variable=i outer=i0 inner=i1 parts=4},reorder{order="i1","j","i0"}' | filecheck %s --check-prefix=DIVIDED
// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=32},split{variable=i1 outer=i2 inner=i3 size=8},reorder{order="i2","i0","i3"}' | filecheck %s --check-prefix=NESTED
// RUN: irtensor-opt %s -p 'split{variable=j outer=j0 inner=j1 size=4 tensor=A},reorder{order="j1","j0"}' | filecheck %s --check-prefix=ENTRIES
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},reorder{order="entry","block"},parallelize{variable=entry races=atomics},unroll{variable=block factor=2}' | filecheck %s --check-prefix=FUSED
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4},reorder{order="entry","block"}' | filecheck %s --check-prefix=COMBINED

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The inner loop is over places in blocks; at the last ones the last block may have nothing.
// CHECK:      [[BLOCKS:%[0-9]+]] = arith.divsi
// CHECK:      concrete_index.forall %i1 from [[ZERO:%[0-9]+]] to [[SIZE:%[0-9]+]] {
// CHECK-NEXT:   concrete_index.forall %i0 from [[ZERO]] to [[BLOCKS]] {
// CHECK-NEXT:     %lo = arith.muli %i0, [[SIZE]] : index
// CHECK-NEXT:     [[END:%[0-9]+]] = arith.addi %lo, [[SIZE]] : index
// CHECK-NEXT:     %hi = arith.minsi [[N:%[0-9]+]], [[END]] : index
// CHECK-NEXT:     [[AT:%[0-9]+]] = arith.addi %lo, %i1 : index
// CHECK-NEXT:     %lo_1 = arith.minsi %hi, [[AT]] : index
// CHECK-NEXT:     [[NEXT:%[0-9]+]] = arith.addi [[AT]], [[ONE:%[0-9]+]] : index
// CHECK-NEXT:     %hi_1 = arith.minsi %hi, [[NEXT]] : index
// CHECK-NEXT:     concrete_index.forall %i from %lo_1 to %hi_1 attributes {follows} {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         concrete_index.access %A[%i, %j]

// Of a number of blocks the size is computed. The coordinate is bound as soon as it is known.
// DIVIDED:      concrete_index.forall %i1 from {{%[0-9]+}} to [[SIZE:%[0-9]+]] {
// DIVIDED-NEXT:   concrete_index.forall %j {
// DIVIDED-NEXT:     concrete_index.forall %i0 from
// DIVIDED-NEXT:       arith.muli %i0, [[SIZE]] : index
// DIVIDED:            concrete_index.forall %i from {{.*}} attributes {follows} {

// Blocks within a block are as many as a whole one has; those behind the last coordinate have nothing.
// NESTED:      concrete_index.forall %i2 from [[ZERO:%[0-9]+]] to {{.*}} {
// NESTED-NEXT:   concrete_index.forall %i0 from [[ZERO]] to
// NESTED:          %hi_1 = arith.minsi {{%[0-9]+}}, {{%[0-9]+}} : index
// NESTED:          %lo_1 = arith.addi %lo, {{%[0-9]+}} : index
// NESTED:          [[LO:%lo_2]] = arith.minsi %hi_1, %lo_1 : index
// NESTED-NEXT:     concrete_index.forall %i3 from [[LO]] to

// At each place there is one entry, with the coordinates up to the next one.
// ENTRIES:      concrete_index.forall %j1 from {{%[0-9]+}} to {{%[0-9]+}} {
// ENTRIES-NEXT:   {{.*}}entry_count
// ENTRIES:        concrete_index.forall %j0 from
// ENTRIES:          concrete_index.entry %A[%i], {{%[0-9]+}}
// ENTRIES:          concrete_index.entry %A[%i], {{%[0-9]+}}
// ENTRIES:          concrete_index.forall %j from {{.*}} attributes {follows} {

// So it is with loops that are fused, whose name is that of the loop over places.
// FUSED:      concrete_index.forall %entry from {{.*}} attributes {parallel = "atomics"} {
// FUSED:        concrete_index.forall %block from {{.*}} attributes {unroll = 2 : i64} {
// FUSED:          concrete_index.forall %i from {{.*}} attributes {{{.*}}follows{{.*}}} {
// FUSED:            concrete_index.forall %j from {{.*}} attributes {{{.*}}follows{{.*}}} {

// A combination of coordinates is one coordinate of each loop.
// COMBINED:      concrete_index.forall %entry from
// COMBINED-NEXT:   concrete_index.forall %block from
// COMBINED:          concrete_index.forall %i from
// COMBINED:            concrete_index.forall %j from {{.*}} attributes {{{.*}}follows{{.*}}} {
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
