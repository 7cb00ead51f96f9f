// RUN: irtensor-opt %s | irtensor-opt | filecheck %s

#row = #storage.format<(i) -> (i : accumulator)>
// CHECK-LABEL: func.func @workspace
func.func @workspace(%n: index) -> index {
  // CHECK-NEXT: %w = storage.workspace(%n) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
  %w = storage.workspace(%n) : tensor<?xf64, #row>
  // CHECK-NEXT: storage.initialize %w : tensor<?xf64, {{.*}}> -> !storage.fiber<tensor<?xf64, {{.*}}>, 0>
  %0 = storage.initialize %w : tensor<?xf64, #row> -> !storage.fiber<tensor<?xf64, #row>, 0>
  // CHECK-NEXT: storage.index_set 0 of %w
  %1 = storage.index_set 0 of %w : tensor<?xf64, #row>
  // CHECK-NEXT: storage.finalize %w : tensor<?xf64, {{.*}}> -> !storage.fiber<tensor<?xf64, {{.*}}>, 0>
  %2 = storage.finalize %w : tensor<?xf64, #row> -> !storage.fiber<tensor<?xf64, #row>, 0>
  // CHECK-NEXT: storage.stored 0 of %w
  %3 = storage.stored 0 of %w : tensor<?xf64, #row>
  func.return %3 : index
}

#table = #storage.format<(i, j) -> (i : map, j : map)>
// CHECK-LABEL: func.func @maps
func.func @maps(%n: index) {
  // CHECK-NEXT: %w = storage.workspace(%n, %n) : tensor<?x?xf64, #storage.format<(i, j) -> (i : map, j : map)>>
  %w = storage.workspace(%n, %n) : tensor<?x?xf64, #table>
  // CHECK-NEXT: storage.index_map 1 of %w
  %0 = storage.index_map 1 of %w : tensor<?x?xf64, #table>
  // CHECK-NEXT: storage.growable slots 1 of %w : tensor<?x?xf64, {{.*}}> -> !loop.growable<i64>
  %1 = storage.growable slots 1 of %w : tensor<?x?xf64, #table> -> !loop.growable<i64>
  func.return
}
