// RUN: irtensor-opt %s --pass-pipeline='builtin.module(cse)' | filecheck %s --check-prefix=ALL
// RUN: irtensor-opt %s --pass-pipeline='any(func.func(cse))' | filecheck %s --check-prefix=ALL
// RUN: irtensor-opt %s --pass-pipeline='builtin.module(builtin.module(cse))' | filecheck %s --check-prefix=INNER
// RUN: irtensor-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(cse)))' | filecheck %s --check-prefix=INNER
// RUN: irtensor-opt %s --pass-pipeline='builtin.module(builtin.module(builtin.module(cse)))' | filecheck %s --check-prefix=NONE
// RUN: sh -c 'irtensor-opt %s --pass-pipeline="builtin.module(gpu.module(cse))" 2>&1; echo exit $?' | filecheck %s --check-prefix=REFUSED
// RUN: sh -c 'irtensor-opt %s --pass-pipeline="func.func(builtin.module(cse))" 2>&1; echo exit $?' | filecheck %s --check-prefix=INSIDE

// REFUSED: error: [bad-pipeline] passes run on 'builtin.module' and the 'func.func' in it, not on 'gpu.module', in pass pipeline 'gpu.module(cse)'
// REFUSED: exit 1
// INSIDE: error: [bad-pipeline] a function holds no module on which passes could run, in pass pipeline 'builtin.module(cse)'
// INSIDE: exit 1

// ALL-LABEL: func.func @outer
// ALL-COUNT-1: arith.addi
// ALL-NOT: arith.addi
// INNER-LABEL: func.func @outer
// INNER: arith.addi
// INNER: arith.addi
// NONE-LABEL: func.func @outer
// NONE: arith.addi
// NONE: arith.addi
func.func @outer(%a : i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}

builtin.module {
  // ALL-LABEL: func.func @inner
  // ALL: arith.addi
  // ALL-NEXT: arith.muli
  // INNER-LABEL: func.func @inner
  // INNER: arith.addi
  // INNER-NEXT: arith.muli
  // NONE-LABEL: func.func @inner
  // NONE: arith.addi
  // NONE-NEXT: arith.addi
  func.func @inner(%a : i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %a, %a : i32
    %2 = arith.muli %0, %1 : i32
    func.return %2 : i32
  }
}
