// An operation that belongs to another stage is named where it stands, with the pass that should have run before.
// RUN: sh -c 'irtensor-opt %s --split-input-file --allow-unregistered-dialect -p lower-loop-to-llvm 2>&1 >%t.output; echo exit $?' | filecheck %s --strict-whitespace

// CHECK: {{.*}}wrong-stage.mlir:[[# @LINE + 5]]:8: error: [wrong-stage] lower-loop-to-llvm cannot lower 'algebra.apply'
// CHECK-NEXT:     %b = algebra.apply add(%a, %a) : (f64, f64) -> f64
// CHECK-NEXT:          ^^^^^^^^^^^^^
// CHECK-NEXT: help: run lower-algebra-to-arith before lower-loop-to-llvm
func.func @earlier(%a: f64) {
  %b = algebra.apply add(%a, %a) : (f64, f64) -> f64
  func.return
}

// -----

// CHECK-NEXT: {{.*}}wrong-stage.mlir:[[# @LINE + 6]]:3: error: [wrong-stage] lower-loop-to-llvm cannot lower 'nothing.at_all'
// CHECK-NEXT:     "nothing.at_all"() : () -> ()
// CHECK-NEXT:     ^^^^^^^^^^^^^^^^
// CHECK-NEXT: help: remove it, or lower it by other means
// CHECK-NEXT: exit 1
func.func @unknown() {
  "nothing.at_all"() : () -> ()
  func.return
}
