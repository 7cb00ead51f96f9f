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
