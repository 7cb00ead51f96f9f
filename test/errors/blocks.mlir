// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=3},split-blocked-dimensions' 2>&1 | filecheck %s

#blocked = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>
func.func @copy(%x: tensor<?xf64, #blocked>) -> tensor<?xf64, #blocked> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #blocked> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64, #blocked>
      concrete_index.assign %a into %out[%i] : tensor<?xf64, #blocked>
    }
  }
  func.return %y : tensor<?xf64, #blocked>
}

// CHECK:      {{.*}}:6:5: error: [blocked-range] loop i1 is split in the middle of blocks of 2, in which a tensor is stored
// CHECK-NEXT:       concrete_index.forall %i {
// CHECK-NEXT:       ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: split it into multiples of 2, or convert the tensor to a format without blocks
