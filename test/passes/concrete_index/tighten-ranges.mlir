// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=8},reorder{order="i1","i0"},tighten-ranges' | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=32},split{variable=i1 outer=i2 inner=i3 size=8},reorder{order="i3","i2","i0"},tighten-ranges' | filecheck %s --check-prefix=NESTED
// RUN: irtensor-opt %s --split-input-file -p 'bound{variable=i extent=64},split{variable=i outer=i0 inner=i1 size=8},reorder{order="i1","i0"},tighten-ranges' | filecheck %s --check-prefix=FULL
// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=32},split{variable=i1 outer=i2 inner=i3 size=8},reorder{order="i2","i0"},tighten-ranges' | filecheck %s --check-prefix=BLOCK

// In the blocks that are counted for a place, there is a coordinate at the place.
// CHECK-LABEL: func.func @scale
// CHECK:          concrete_index.forall %i1 from [[ZERO:%[0-9]+]] to [[EIGHT:%[0-9]+]] {
// CHECK-NEXT:       [[LEFT:%[0-9]+]] = arith.subi [[N:%[0-9]+]], %i1 : index
// CHECK-NEXT:       [[UP:%[0-9]+]] = arith.addi [[LEFT]], {{%[0-9]+}} : index
// CHECK-NEXT:       %hi = arith.divsi [[UP]], {{%[0-9]+}} : index
// CHECK-NEXT:       concrete_index.forall %i0 from [[ZERO]] to %hi {
// CHECK-NEXT:         %lo = arith.muli %i0, [[EIGHT]] : index
// CHECK-NEXT:         %lo_1 = arith.addi %lo, %i1 : index
// CHECK-NEXT:         %hi_1 = arith.addi %lo_1, [[ONE:%[0-9]+]] : index
// CHECK-NEXT:         concrete_index.forall %i from %lo_1 to %hi_1 attributes {follows} {

// Only the innermost of the loops ends earlier: 32 is a multiple of 8, so that of the others nothing is asked.
// NESTED-LABEL: func.func @scale
// NESTED:          concrete_index.forall %i3 from [[ZERO:%[0-9]+]] to [[EIGHT:%[0-9]+]] {
// NESTED:            concrete_index.forall %i2 from [[ZERO]] to {{.*}} {
// NESTED-NOT:          arith.minsi
// NESTED:              concrete_index.forall %i0 from [[ZERO]] to
// NESTED-NOT:          arith.minsi
// NESTED:              concrete_index.forall %i from

// Blocks that are all full need no bound.
// FULL-LABEL: func.func @scale
// FULL:          concrete_index.forall %i1 from [[ZERO:%[0-9]+]] to [[EIGHT:%[0-9]+]] {
// FULL-NEXT:       concrete_index.forall %i0 from [[ZERO]] to {{.*}} {
// FULL-NEXT:         %lo = arith.muli %i0, [[EIGHT]] : index
// FULL-NOT:          arith.minsi
// FULL:              concrete_index.forall %i from

// A block that begins before the limit may still end at it.
// BLOCK-LABEL: func.func @scale
// BLOCK:          concrete_index.forall %i2 from
// BLOCK:            concrete_index.forall %i0 from
// BLOCK-NEXT:         %lo = arith.muli %i0,
// BLOCK:              concrete_index.forall %i3 from %lo_1 to [[HI:%hi_[0-9]+]] {
func.func @scale(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
