// RUN: irtensor-opt %s --pass-pipeline='builtin.module(canonicalize,cse)' | filecheck %s
// RUN: irtensor-opt %s --pass-pipeline="builtin.module( canonicalize{} , func.func(cse) )" | filecheck %s
// RUN: irtensor-opt %s -p canonicalize,cse | filecheck %s
// RUN: irtensor-opt %s --passes=canonicalize -cse | filecheck %s
// RUN: irtensor-opt %s --canonicalize --cse | filecheck %s
// RUN: irtensor-opt -canonicalize -pass-pipeline='builtin.module(cse)' - < %s | filecheck %s
// RUN: irtensor-opt %s --pass-pipeline='builtin.module()' | filecheck %s --check-prefix=NONE


// CHECK-LABEL: func.func @twice
// NONE-LABEL: func.func @twice
func.func @twice(%a : i32) -> i32 {
  // CHECK-NEXT: %[[SUM:.*]] = arith.addi %a, %a : i32
  // CHECK-NEXT: arith.muli %[[SUM]], %[[SUM]] : i32
  // NONE: arith.addi
  // NONE: arith.addi
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}
