// RUN: not irtensor-opt %s -p 'split{variable=j outer=j0 inner=j1 size=4 tensor=A},reorder{order="j0","i","j1"}' 2>&1 | filecheck %s
// RUN: not irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},reorder{order="j","block","i"}' 2>&1 | filecheck %s --check-prefix=FUSED
// RUN: not irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},reorder{order="f","i"}' 2>&1 | filecheck %s --check-prefix=TWICE
// TWICE:      error: [bad-schedule-step] reorder: 'i' is one of the loops that are fused as 'f'
// TWICE:      help: name f alone

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// How many entries there are to be split depends on the row.
// CHECK:      error: [illegal-reorder] reorder: loop j0 runs over coordinates that loop i selects, so it stays inside of it
// CHECK:      note: the nearest order that is allowed is i, j0, j1
// CHECK-NEXT: help: name i before j0: other loops may go between them or around both

// Loops that are cut as one stay in their order.
// FUSED:      error: [illegal-reorder] reorder: loop j runs over coordinates that loop i selects, so it stays inside of it
// FUSED:      note: the nearest order that is allowed is block, i, j
func.func @spmv(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
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
