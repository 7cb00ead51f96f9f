// Lists without order where no pass may ask for a conversion.
// RUN: sh -c 'irtensor-opt %s --split-input-file -p concretize,choose-loop-order,scalarize-reductions,concordize,lower-concrete-index-to-iteration-lattice,lower-looplets 2>&1 >%t.output; echo exit $?' | filecheck %s --strict-whitespace

// CHECK: {{.*}}unsorted.mlir:[[# @LINE + 8]]:12: error: [unordered-merge] level 0 (i : compressed(nonordered)) of 'x', which is not ordered, is combined with others, or appended to, in order of coordinate
// CHECK-NEXT:         %a = index_notation.access %x[%i] : tensor<?xf64, #list>
// CHECK-NEXT:              ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: sort the operand: convert it to the same format without nonordered
#list = #storage.format<(i) -> (i : compressed(nonordered))>
func.func @unordered_merge(%x: tensor<?xf64, #list>, %y: tensor<?xf64, #list>) -> tensor<f64> {
  %r = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      %a = index_notation.access %x[%i] : tensor<?xf64, #list>
      %b = index_notation.access %y[%i] : tensor<?xf64, #list>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %r : tensor<f64>
}

// -----

// CHECK-NEXT: {{.*}}unsorted.mlir:[[# @LINE + 7]]:10: error: [unordered-search] level 1 (j : compressed(nonordered)) of 'A' is not ordered, so a single coordinate cannot be searched
// CHECK-NEXT:       %a = index_notation.access %A[%i, %i] : tensor<?x?xf64, #rows>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: sort the operand: convert it to the same format without nonordered
#rows = #storage.format<(i, j) -> (i : dense, j : compressed(nonordered))>
func.func @unordered_search(%A: tensor<?x?xf64, #rows>) -> tensor<?xf64> {
  %r = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %A[%i, %i] : tensor<?x?xf64, #rows>
    index_notation.yield %a : f64
  }
  func.return %r : tensor<?xf64>
}

// CHECK-NEXT: exit 1
