// Each pass is checked: what it leaves behind must be valid, values defined before their use included.
// RUN: not irtensor-opt %s --verify-dominance 2>&1 | filecheck %s
// RUN: irtensor-opt %s --disable-verify | filecheck %s --check-prefix=UNCHECKED
// RUN: not irtensor-opt %s --disable-verify --verify-dominance 2>&1 | filecheck %s

// CHECK: verify-each.mlir:[[# @LINE + 4]]:10: error: [does-not-dominate] operand #0 '%late' of 'arith.muli' does not dominate this use
// CHECK: verify-each.mlir:[[# @LINE + 4]]:{{[0-9]+}}: note: operand defined here (op in the same block)
// UNCHECKED: arith.muli
func.func @f(%a : i32) -> i32 {
  %sum = arith.muli %late, %a : i32
  %late = arith.addi %a, %a : i32
  func.return %sum : i32
}
