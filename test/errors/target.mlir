// A target that cannot express the module says so; that is no defect of irtensor.
// RUN: sh -c 'irtensor-opt %s --target=riscv-asm 2>&1; echo exit $?' | filecheck %s
// RUN: sh -c 'irtensor-opt %s --target=llvm 2>&1; echo exit $?' | filecheck %s --check-prefix=LLVM

// CHECK: error: [target-failed] target 'riscv-asm': AssertionError: FuncOp( func.func @f(%x: tensor<?xf64>)
// CHECK-NEXT: help: lower the module to the dialects of the target first
// CHECK-NEXT: exit 1
// LLVM: target.mlir:[[# @LINE + 3]]:1: error: [wrong-stage] no LLVM IR is written for 'func.func' beside functions
// LLVM: help: remove it, or lower it by other means
// LLVM-NEXT: exit 1
func.func @f(%x: tensor<?xf64>) {
  func.return
}
