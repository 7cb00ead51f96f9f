// What compiling reports, word for word: place, line, message, notes, and the way out.
// RUN: sh -c 'irtensor-opt %s --split-input-file -p index-notation-to-llvm 2>&1 >%t.output; echo exit $?' | filecheck %s --strict-whitespace

// CHECK: {{.*}}compile.mlir:[[# @LINE + 6]]:10: error: [not-a-reduction] operator 'sub' cannot reduce: it is not associative with an identity
// CHECK-NEXT:       %s = index_notation.reduce sub (%i) : f64 {
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: reduce with add, mul, min, max, choose, and, or, xor, or an algebra.operator that declares both
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

// A result that is read again is no operand that could be converted.
// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 11]]:8: error: [block-mismatch] 'z', indexed by i, has blocks of 4, another of 2
// CHECK-NEXT:   %z = index_notation.assign (%i) : tensor<?xf64, #four> {
// CHECK-NEXT:        ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: convert one operand so that both have the same blocks, or neither has any
#two = #storage.format<(i) -> (i floordiv 2 : dense, i mod 2 : dense)>
#four = #storage.format<(i) -> (i floordiv 4 : dense, i mod 4 : dense)>
func.func @block_mismatch(%x: tensor<?xf64>) -> tensor<?xf64, #four> {
  %y = index_notation.assign (%i) : tensor<?xf64, #two> {
    %0 = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %0 : f64
  }
  %z = index_notation.assign (%i) : tensor<?xf64, #four> {
    %0 = index_notation.access %y[%i] : tensor<?xf64, #two>
    %1 = index_notation.access %x[%i] : tensor<?xf64>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %z : tensor<?xf64, #four>
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

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 5]]:8: error: [recursive-operator] operator @again applies itself, so expanding its body has no end
// CHECK-NEXT:     %b = algebra.apply @again(%a) : (f64) -> f64
// CHECK-NEXT:          ^^^^^^^^^^^^^
// CHECK-NEXT: help: compute its result from its arguments with other operators
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

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 5]]:3: error: [operand-returned] the function returns 'x', which it does not compute
// CHECK-NEXT:     func.return %x : tensor<?xf64>
// CHECK-NEXT:     ^^^^^^^^^^^
// CHECK-NEXT: help: return the result of index_notation.assign or concrete_index.compute, which may copy it
func.func @operand_returned(%x: tensor<?xf64>) -> tensor<?xf64> {
  func.return %x : tensor<?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 7]]:5: error: [unsupported-workspace] level 0 (i : compressed) of temporary 'w' is only appended to
// CHECK-NEXT:       concrete_index.where produce (%w) : tensor<?xf64, #list> {
// CHECK-NEXT:       ^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: store the temporary in levels that are written in any order: an accumulator, then dense ones
#list = #storage.format<(i) -> (i : compressed)>
func.func @unsupported_workspace(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64, #list> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %w[%i] : tensor<?xf64, #list>
      }
    } consume (%v) {
      concrete_index.forall %j {
        %a = concrete_index.access %v[%j] : tensor<?xf64, #list>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %c into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 5]]:8: error: [unknown-operation] operation 'index_notation.asign' is not registered
// CHECK-NEXT:     %y = index_notation.asign (%i) : tensor<?xf64> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: did you mean index_notation.assign or index_notation.affine or index_notation.access?
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

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 4]]:59: error: [bad-format] level 1 (j : singleton) is below 'bitmap', but a singleton level needs a level with coordinates directly above it
// CHECK-NEXT:   func.func @bad_format(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : bitmap, j : singleton)>>) {
// CHECK-NEXT:                                                             ^
// CHECK-NEXT: help: COO is (i : compressed(nonunique), j : singleton)
func.func @bad_format(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : bitmap, j : singleton)>>) {
  func.return
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 5]]:10: error: [verify] 'index_notation.access' op the tensor has 2 dimensions, the access has 1 indices
// CHECK-NEXT:       %a = index_notation.access %A[%i] : tensor<?x?xf64>
// CHECK-NEXT:            ^^^^^^^^^^^^^^^^^^^^^
func.func @verify(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %A[%i] : tensor<?x?xf64>
    index_notation.yield %a : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:8: error: [unwritable-level] level 1 (j : padded) of result 'C' has as many slots for each parent, a number that is known when all entries are
// CHECK-NEXT:     %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #ell> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: compute it as (i, j) -> (i : dense, j : compressed), and convert that
#ell = #storage.format<(i, j) -> (i : dense, j : padded)>
func.func @unwritable_level(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #ell> {
  %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #ell> {
    %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
    index_notation.yield %a : f64
  }
  func.return %C : tensor<?x?xf64, #ell>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:8: error: [diagonal-mismatch] 'C', stored (i, j) -> (j - i : compressed, i : range, j : offset), is not traversed along its diagonals: results by diagonals are not written
// CHECK-NEXT:     %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #dia> {
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: store it (i, j) -> (i : dense, j : compressed), and convert that
#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
func.func @diagonal_mismatch(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #dia> {
  %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #dia> {
    %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
    index_notation.yield %a : f64
  }
  func.return %C : tensor<?x?xf64, #dia>
}

// -----

// CHECK-NEXT: {{.*}}compile.mlir:[[# @LINE + 6]]:10: error: [extent-mismatch] dimension 0 of %x has extent 4, but dimension 0 of the result, over which %i ranges as well, 3
// CHECK-NEXT:     %a = index_notation.access %x[%i] : tensor<4xf64>
// CHECK-NEXT:          ^^^^^^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: let the types state equal extents, or '?' for extents that only the operands of a call have
func.func @extent_mismatch(%x: tensor<4xf64>) -> tensor<3xf64> {
  %y = index_notation.assign (%i) : tensor<3xf64> {
    %a = index_notation.access %x[%i] : tensor<4xf64>
    index_notation.yield %a : f64
  }
  func.return %y : tensor<3xf64>
}
// CHECK-NEXT: exit 1
