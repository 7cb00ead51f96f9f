// A target that cannot express the module says so; that is no defect of irtensor.
// RUN: sh -c 'irtensor-opt %s --target=llvm 2>&1; echo exit $?' | filecheck %s

// CHECK: error: [target-failed] target 'llvm': NotImplementedError: Conversion not implemented for op: func.func
// CHECK-NEXT: help: lower the module to the dialects of the target first
// CHECK-NEXT: exit 1
func.func @f(%x: tensor<?xf64>) {
  func.return
}
