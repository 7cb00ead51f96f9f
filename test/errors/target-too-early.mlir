// A target that is asked for too early names the pipeline that leads to it.
// RUN: sh -c 'irtensor-opt %s --target=ptx 2>&1; echo exit $?' | filecheck %s
// RUN: sh -c 'irtensor-opt %s --target=llvm 2>&1; echo exit $?' | filecheck %s --check-prefix=LLVM
// RUN: sh -c 'irtensor-opt %s --index-notation-to-loop --target=ptx 2>&1; echo exit $?' | filecheck %s --check-prefix=LOOP

// CHECK: target-too-early.mlir:[[# @LINE + 6]]:1: error: [wrong-stage] no LLVM IR is written for 'func.func' beside functions
// CHECK: help: lower it first: --index-notation-to-ptx
// CHECK-NEXT: exit 1
// LLVM: help: lower it first: --index-notation-to-llvm
// LOOP: help: lower it first: --loop-to-ptx

func.func @copy(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return %y : tensor<?xf64>
}
