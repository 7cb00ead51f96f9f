// The IR around passes goes to stderr, so that the result can still be read from stdout.
// RUN: irtensor-opt %s --canonicalize --cse --mlir-print-ir-after-all 2>&1 >/dev/null | filecheck %s --check-prefix=AFTER-ALL
// RUN: irtensor-opt %s -p canonicalize,cse --mlir-print-ir-before-all 2>&1 >/dev/null | filecheck %s --check-prefix=BEFORE-ALL
// RUN: irtensor-opt %s -p canonicalize,cse --mlir-print-ir-after=cse 2>&1 >/dev/null | filecheck %s --check-prefix=AFTER
// RUN: irtensor-opt %s -p canonicalize,cse --mlir-print-ir-before=cse 2>&1 >/dev/null | filecheck %s --check-prefix=BEFORE
// RUN: irtensor-opt %s -p canonicalize,cse --print-between-passes 2>/dev/null | filecheck %s --check-prefix=RESULT
// RUN: irtensor-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: irtensor-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: irtensor-opt %s --mlir-print-debuginfo | filecheck %s --check-prefix=LOCATION

// AFTER-ALL: // -----// IR Dump After canonicalize //----- //
// AFTER-ALL: builtin.module
// AFTER-ALL: // -----// IR Dump After cse //----- //
// AFTER-ALL: builtin.module
// BEFORE-ALL: // -----// IR Dump Before canonicalize //----- //
// BEFORE-ALL: // -----// IR Dump Before cse //----- //
// AFTER-NOT: canonicalize
// AFTER: // -----// IR Dump After cse //----- //
// BEFORE-NOT: canonicalize
// BEFORE: // -----// IR Dump Before cse //----- //
// RESULT-NOT: IR Dump
// RESULT: func.func @keep
// GENERIC: "builtin.module"() ({
// GENERIC: "func.func"()
// LOCATION: loc("{{.*}}print-ir.mlir":[[# @LINE + 2]]:3)
func.func @keep(%a : i32) -> i32 {
  func.return %a : i32
}
