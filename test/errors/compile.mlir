// What compiling reports, word for word: place, line, message, notes, and the way out.
// RUN: sh -c 'irtensor-opt %s --split-input-file -p index-notation-to-llvm 2>&1 >%t.output; echo exit $?' | filecheck %s --strict-whitespace

// CHECK: {{.*}}compile.mlir:[[# @LINE + 14]]:10: error: [loop-order-cycle] 'B' needs loop jo before io, 'A' needs loop io before jo
// CHECK-NEXT:       %b = index_notation.access %B[%j, %i] : tensor<?x?xf64, #blocks>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 11]]:10: note: 'B' is stored (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)
// CHECK-NEXT:       %b = index_notation.access %B[%j, %i] : tensor<?x?xf64, #blocks>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 7]]:10: note: 'A' is stored (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)
// CHECK-NEXT:       %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #blocks>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: convert 'B' to a format with level order io, jo
#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>
func.func @loop_order_cycle(%A: tensor<?x?xf64, #blocks>, %B: tensor<?x?xf64, #blocks>) -> tensor<?x?xf64> {
  %C = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #blocks>
    %b = index_notation.access %B[%j, %i] : tensor<?x?xf64, #blocks>
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    index_notation.yield %p : f64
  }
  func.return %C : tensor<?x?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 12]]:8: error: [output-needs-workspace] level 1 (j : compressed) of 'A' is written out of order by the loop over k: 'C' needs loop k before j, result 'A' is appended in order of j, so the loop over k goes inside
// CHECK-NEXT:     %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 12]]:12: note: 'C' is stored (i, j) -> (i : dense, j : compressed)
// CHECK-NEXT:         %c = index_notation.access %C[%k, %j] : tensor<?x?xf64, #csr>
// CHECK-NEXT:              ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:8: note: 'A' is stored (i, j) -> (i : dense, j : compressed)
// CHECK-NEXT:     %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: store 'A' dense in that dimension, or compute it densely and convert the result
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @output_needs_workspace(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
    %s = index_notation.reduce add (%k) : f64 {
      %b = index_notation.access %B[%i, %k] : tensor<?x?xf64, #csr>
      %c = index_notation.access %C[%k, %j] : tensor<?x?xf64, #csr>
      %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:10: error: [not-a-reduction] operator 'sub' cannot reduce: it is not associative with an identity
// CHECK-NEXT:       %s = index_notation.reduce sub (%i) : f64 {
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: reduce with add, mul, min, max, and, or, xor, or an algebra.operator that declares both
func.func @not_a_reduction(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce sub (%i) : f64 {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:10: error: [unknown-operator] no algebra.operator @missing is declared
// CHECK-NEXT:       %s = index_notation.reduce @missing (%i) : f64 {
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: declare it in the module, or use a built-in operator
func.func @unknown_operator(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce @missing (%i) : f64 {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:10: error: [unknown-extent] nothing indexed by 'k' says how many coordinates it has
// CHECK-NEXT:       %s = index_notation.reduce add (%i, %k) : f64 {
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: use the variable in an operand or in the result
func.func @unknown_extent(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i, %k) : f64 {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 7]]:12: error: [unknown-encoding] tensor encoding "sparse" is not a #storage.format
// CHECK-NEXT:         %a = index_notation.access %x[%i] : tensor<?xf64, "sparse">
// CHECK-NEXT:              ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: write the encoding as #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @unknown_encoding(%x: tensor<?xf64, "sparse">) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      %a = index_notation.access %x[%i] : tensor<?xf64, "sparse">
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 8]]:12: error: [unordered-merge] an operand with unordered coordinates is combined with others, or appended to, in order of coordinate
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

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 7]]:10: error: [unordered-search] level 1 (j : compressed(nonordered)) of 'A' is not ordered, so a single coordinate cannot be searched
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

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 9]]:10: error: [block-mismatch] 'b', indexed by i, has blocks of 4, another of 2
// CHECK-NEXT:       %1 = index_notation.access %b[%i] : tensor<?xf64, #four>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: convert one operand so that both have the same blocks, or neither has any
#two = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>
#four = #storage.format<(i) -> (i floordiv 4 : compressed, i mod 4 : dense)>
func.func @block_mismatch(%a: tensor<?xf64, #two>, %b: tensor<?xf64, #four>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #two>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #four>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 7]]:10: error: [unsupported-operator] operator 'floor' is not defined for elements of type complex<f64>
// CHECK-NEXT:       %b = algebra.apply floor(%a) : (complex<f64>) -> complex<f64>
// CHECK-NEXT:            ^^^^^^^^^^^^^
// CHECK-NEXT: help: convert the operands first, as NumPy does for this operator
func.func @unsupported_operator(%x: tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>> {
  %y = index_notation.assign (%i) : tensor<?xcomplex<f64>> {
    %a = index_notation.access %x[%i] : tensor<?xcomplex<f64>>
    %b = algebra.apply floor(%a) : (complex<f64>) -> complex<f64>
    index_notation.yield %b : complex<f64>
  }
  func.return %y : tensor<?xcomplex<f64>>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 4]]:8: error: [recursive-operator] operator @again applies itself
// CHECK-NEXT:     %b = algebra.apply @again(%a) : (f64) -> f64
// CHECK-NEXT:          ^^^^^^^^^^^^^
algebra.operator @again(%a: f64) -> f64 {
  %b = algebra.apply @again(%a) : (f64) -> f64
  algebra.yield %b : f64
}
func.func @recursive_operator(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    %b = algebra.apply @again(%a) : (f64) -> f64
    index_notation.yield %b : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 5]]:3: error: [operand-returned] a function returns a tensor that it does not define
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:     ^^^^^^^^^^^
// CHECK-NEXT: help: return the result of index_notation.assign or concrete_index.compute
func.func @operand_returned(%x: tensor<?xf64>) -> tensor<?xf64> {
  func.return %x : tensor<?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:5: error: [unsupported-workspace] temporary 'w' has 1 dimensions; only scalars are compiled
// CHECK-NEXT:       concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:       ^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: compute the temporary as a result of its own
func.func @unsupported_workspace(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %w[%i] : tensor<?xf64>
      }
    } consume (%v) {
      concrete_index.forall %j {
        %a = concrete_index.access %v[%j] : tensor<?xf64>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 5]]:8: error: [unknown-operation] operation 'index_notation.asign' is not registered
// CHECK-NEXT:     %y = index_notation.asign (%i) : tensor<?xf64> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: did you mean index_notation.assign or index_notation.access or index_notation.yield?
func.func @unknown_operation(%x: tensor<?xf64>) {
  %y = index_notation.asign (%i) : tensor<?xf64> {
  }
  func.return
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 4]]:30: error: [syntax-error] '(' expected
// CHECK-NEXT:     %y = index_notation.assign %i : tensor<?xf64> {
// CHECK-NEXT:                                ^^
func.func @syntax_error(%x: tensor<?xf64>) {
  %y = index_notation.assign %i : tensor<?xf64> {
  }
  func.return
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 3]]:59: error: [syntax-error] [bad-format] level 1 (j : singleton) is below 'dense', but a singleton level needs a level with coordinates directly above it
// CHECK-NEXT:   func.func @bad_format(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : singleton)>>) {
// CHECK-NEXT:                                                             ^
func.func @bad_format(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : singleton)>>) {
  func.return
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:10: error: [verify] 'index_notation.access' op the tensor has 2 dimensions, the access has 1 indices
// CHECK-NEXT:       %a = index_notation.access %A[%i] : tensor<?x?xf64>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: exit 1
func.func @verify(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %A[%i] : tensor<?x?xf64>
    index_notation.yield %a : f64
  }
  func.return %y : tensor<?xf64>
}
