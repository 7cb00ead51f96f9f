// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=f0 inner=f1 size=8 tensor=A},split{variable=f1 outer=f2 inner=f3 size=2 tensor=A}' | filecheck %s
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},divide{variable=f outer=f0 inner=f1 parts=3},split{variable=f1 outer=f2 inner=f3 size=2}' | filecheck %s --check-prefix=PLACES
// RUN: irtensor-opt %s -p 'split{variable=j outer=j0 inner=j1 size=4},reorder{order="j0","i","j1"},fuse{outer=i inner=j1 fused=f},divide{variable=f outer=f0 inner=f1 parts=3}' | filecheck %s --check-prefix=WINDOW
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=f0 inner=f1 size=8},split{variable=f1 outer=f2 inner=f3 size=2 tensor=A}' | filecheck %s --check-prefix=ENTRIES
// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=4},fuse{outer=i1 inner=j fused=f},split{variable=f outer=f0 inner=f1 size=2 tensor=A}' | filecheck %s --check-prefix=ROWS

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A block of 8 entries has blocks of 2: the first begins where it begins, none goes beyond its last entry.
// CHECK:      concrete_index.forall %f0 from
// CHECK-NEXT:   [[FIRST:%[0-9]+]] = arith.muli %f0, [[EIGHT:%[0-9]+]] : index
// CHECK:        [[ROW:%[0-9]+]] = arith.select {{.*}} : index
// CHECK-NEXT:   [[COLUMN:%[0-9]+]] = arith.select {{.*}} : index
// CHECK-NEXT:   [[END:%[0-9]+]] = arith.addi [[FIRST]], [[EIGHT]] : index
// CHECK-NEXT:   [[LASTROW:%[0-9]+]], [[LASTCOLUMN:%[0-9]+]] = concrete_index.entry %A[], [[END]] levels 2
// CHECK:        concrete_index.forall %f2 from
// CHECK-NEXT:     [[OFFSET:%[0-9]+]] = arith.muli %f2, {{%[0-9]+}} : index
// CHECK-NEXT:     [[NUMBER:%[0-9]+]] = arith.addi [[FIRST]], [[OFFSET]] : index
// CHECK-NEXT:     [[WITHIN:%[0-9]+]] = arith.minsi [[END]], [[NUMBER]] : index
// CHECK-NEXT:     [[BEGINS:%[0-9]+]] = arith.cmpi eq, %f2, {{%[0-9]+}} : index
// CHECK-NEXT:     [[I:%[0-9]+]], [[J:%[0-9]+]] = concrete_index.entry %A[], [[WITHIN]] between [[ROW]], [[LASTROW]] levels 2
// CHECK-NEXT:     arith.select [[BEGINS]], [[ROW]], [[I]] : index
// CHECK-NEXT:     arith.select [[BEGINS]], [[COLUMN]], [[J]] : index
// CHECK:          concrete_index.forall %i from {{.*}} attributes {fused = "f3"} {
// CHECK:            concrete_index.forall %j from {{.*}} attributes {fused = "f3"} {

// So it is with coordinates, which are computed from other numbers in the same way.
// PLACES:      concrete_index.forall %f0 from
// PLACES:        [[NUMBER:%[0-9]+]] = arith.muli %f0,
// PLACES:        [[EXISTS:%[0-9]+]] = arith.cmpi slt, [[NUMBER]], [[TOTAL:%[0-9]+]] : index
// PLACES:        concrete_index.forall %f2 from
// PLACES:          [[WITHIN:%[0-9]+]] = arith.minsi
// PLACES:          arith.cmpi slt, [[WITHIN]], [[TOTAL]] : index
// PLACES:          concrete_index.forall %i from {{.*}} attributes {fused = "f3"} {
// PLACES:            concrete_index.forall %j from {{.*}} attributes {fused = "f3"} {

// Combinations of rows with the columns of a block: a column is counted from the block's first on.
// WINDOW:      concrete_index.forall %j0 from
// WINDOW-NEXT:   %lo = arith.muli %j0,
// WINDOW:        %hi = arith.minsi
// WINDOW-NEXT:   [[COLUMNS:%[0-9]+]] = arith.subi %hi, %lo : index
// WINDOW:        concrete_index.forall %f0 from
// WINDOW:          arith.addi %lo,
// WINDOW:          concrete_index.forall %i from {{.*}} attributes {fused = "f1"} {
// WINDOW:            concrete_index.forall %j1 from {{.*}} attributes {fused = "f1"} {

// A block of coordinates has the entries from its first corner up to the one behind it, and blocks of these.
// ENTRIES:      concrete_index.forall %f0 from
// ENTRIES:        [[FIRST:%[0-9]+]] = concrete_index.entry_count %A[] before [[I:%[0-9]+]], [[J:%[0-9]+]] levels 2
// ENTRIES:        [[END:%[0-9]+]] = concrete_index.entry_count %A[] before {{%[0-9]+}}, {{%[0-9]+}} levels 2
// ENTRIES:        concrete_index.forall %f2 from
// ENTRIES:          [[BEGINS:%[0-9]+]] = arith.cmpi eq, %f2,
// ENTRIES:          [[ROW:%[0-9]+]], [[COLUMN:%[0-9]+]] = concrete_index.entry %A[]
// ENTRIES:          arith.select [[BEGINS]], [[I]], [[ROW]] : index
// ENTRIES:          arith.select [[BEGINS]], [[J]], [[COLUMN]] : index
// ENTRIES:          [[BEHIND:%[0-9]+]], [[COLUMNBEHIND:%[0-9]+]] = concrete_index.entry %A[]
// ENTRIES:          concrete_index.forall %i from {{.*}} attributes {fused = "f3"} {
// The block of coordinates may end in the row of the entry behind it, before that entry.
// ENTRIES:            arith.minsi {{%[a-z0-9_]+}}, [[COLUMNBEHIND]] : index
// ENTRIES:            concrete_index.forall %j from {{.*}} attributes {fused = "f3"} {

// Some rows have the entries before the first column of the row behind them.
// ROWS:      concrete_index.forall %i0 from
// ROWS:        concrete_index.entry_count %A[] before %lo, [[ZERO:%[0-9]+]] levels 2
// ROWS:        concrete_index.entry_count %A[] before %hi, [[ZERO]] levels 2
// ROWS:        concrete_index.forall %f0 from
func.func @rows(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
