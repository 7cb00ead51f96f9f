// RUN: not irtensor-opt %s --split-input-file -p expand-regions,concretize 2>&1 | filecheck %s --match-full-lines

// CHECK:      {{.*}}regions.mlir:[[# @LINE + 4]]:{{[0-9]+}}: error: [bad-region] the region names c, which is not an operand; operands are a, b
// CHECK-NEXT:   algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b) -> a and not c>} {
// CHECK-NEXT: {{ *\^.*}}
// CHECK-NEXT: help: join the operands' names by &, |, ^ and ~, as in a & ~b; everywhere and nowhere are regions, too
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b) -> a and not c>} {
  algebra.yield %a : f64
}

// -----

// CHECK:      {{.*}}regions.mlir:[[# @LINE + 3]]:1: error: [verify] 'algebra.operator' op the region of operator @f names 3 operands, the operator has 2
// CHECK-NEXT:   algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b, c) -> a and not c>} {
// CHECK-NEXT:   ^^^^^^^^^^^^^^^^
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b, c) -> a and not c>} {
  algebra.yield %a : f64
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>
#inf = #storage.format<(i) -> (i : compressed), fill = inf>
algebra.operator @mask(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b) -> a and not b>} {
  algebra.yield %a : f64
}
func.func @masked(%a: tensor<?xf64, #inf>, %b: tensor<?xf64, #sv>) -> tensor<?xf64, #inf> {
  %c = index_notation.assign (%i) : tensor<?xf64, #inf> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #inf>
    %y = index_notation.access %b[%i] : tensor<?xf64, #sv>
    // CHECK:      {{.*}}regions.mlir:[[# @LINE + 4]]:10: error: [no-fill] nothing says what @mask is outside of its region, where its operands read as inf and 0.0
    // CHECK-NEXT:       %z = algebra.apply @mask(%x, %y) : (f64, f64) -> f64
    // CHECK-NEXT:            ^^^^^^^^^^^^^
    // CHECK-NEXT: help: give the operator a fill value, as in fill=inf
    %z = algebra.apply @mask(%x, %y) : (f64, f64) -> f64
    index_notation.yield %z : f64
  }
  func.return %c : tensor<?xf64, #inf>
}
