// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=32 tensor=D}' | filecheck %s

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>

// Blocks of 32 stored rows; the first begins at 0, and the last, behind whose entries there are none, ends at the extent.
// CHECK-LABEL: func.func @entries
// CHECK:     [[COUNT:%[0-9]+]] = concrete_index.entry_count %D[] levels 1
// CHECK:     concrete_index.forall %i0 from [[ZERO:%[0-9]+]] to {{%[0-9]+}} {
// CHECK-NEXT:  [[NUMBER:%[0-9]+]] = arith.muli %i0, [[SIZE:%[0-9]+]] : index
// CHECK-NEXT:  [[FIRST:%[0-9]+]] = arith.cmpi eq, %i0, [[ZERO]] : index
// CHECK-NEXT:  [[ROW:%[0-9]+]] = concrete_index.entry %D[], [[NUMBER]] levels 1
// CHECK-NEXT:  %lo = arith.select [[FIRST]], [[ZERO]], [[ROW]] : index
// CHECK-NEXT:  [[NEXT:%[0-9]+]] = arith.addi [[NUMBER]], [[SIZE]] : index
// CHECK-NEXT:  [[AFTER:%[0-9]+]] = concrete_index.entry %D[], [[NEXT]] levels 1
// CHECK-NEXT:  %hi = arith.minsi {{%[0-9]+}}, [[AFTER]] : index
// CHECK-NEXT:  concrete_index.forall %i1 from %lo to %hi {
func.func @entries(%D: tensor<?x?xf64, #dcsr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %D[%i, %j] : tensor<?x?xf64, #dcsr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#blocks = #storage.format<(i) -> (i floordiv 3 : compressed, i mod 3 : dense)>
// Of a tensor in blocks, all places of stored blocks are entries.
// CHECK-LABEL: func.func @places
// CHECK:     [[COUNT:%[0-9]+]] = concrete_index.entry_count %D[] dimensions 1
// CHECK:     concrete_index.forall %i0 from
// CHECK:       [[ROW:%[0-9]+]] = concrete_index.entry %D[], %{{[0-9]+}} dimensions 1
// CHECK:       [[AFTER:%[0-9]+]] = concrete_index.entry %D[], %{{[0-9]+}} dimensions 1
// CHECK:       concrete_index.forall %i1 from %lo to %hi {
func.func @places(%D: tensor<?xf64, #blocks>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %D[%i] : tensor<?xf64, #blocks>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
