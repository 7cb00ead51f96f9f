// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p keep-order-of-sums | filecheck %s

// A function that is only declared, one that is no function of loops, and functions of other dialects.
// CHECK-LABEL: func.func private @declared(f64) -> f64
// CHECK-NOT: keeps_order
// CHECK-LABEL: func.func @blocks(%a: f64, %c: i1) -> f64 {
// CHECK-LABEL: llvm.func @lowered(%a: f64) -> f64 {
// CHECK-NEXT: llvm.fadd %a, %a {fastmathFlags = #llvm.fastmath<reassoc>} : f64
func.func private @declared(f64) -> f64
func.func @blocks(%a: f64, %c: i1) -> f64 {
  "cf.cond_br"(%c)[^end, ^end] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^end:
  func.return %a : f64
}
llvm.func @lowered(%a: f64) -> f64 {
  %b = llvm.fadd %a, %a {fastmathFlags = #llvm.fastmath<reassoc>} : f64
  llvm.return %b : f64
}

// -----

// A function that is marked already, and integers, which have no flags.
// CHECK-LABEL: func.func @marked(%a: i64) -> i64 attributes {algebra.keeps_order} {
// CHECK-NEXT: algebra.apply add(%a, %a) : (i64, i64) -> i64
func.func @marked(%a: i64) -> i64 attributes {algebra.keeps_order} {
  %b = algebra.apply add(%a, %a) : (i64, i64) -> i64
  func.return %b : i64
}
