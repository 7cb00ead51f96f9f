// RUN: irtensor-opt %s --disable-verify --verify-dominance | filecheck %s

// A loop's value reaches its body, and a block's value every block that it dominates.
// CHECK-LABEL: func.func @reaches
func.func @reaches(%n : index, %c : i1) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %twice = arith.addi %i, %i : index
    scf.for %j = %twice to %n step %one {
      %sum = arith.addi %twice, %j : index
    }
  }
  %start = arith.constant 0 : i32
  cf.cond_br %c, ^left, ^right(%start : i32)
^left:
  %left = arith.constant 1 : i32
  cf.br ^right(%left : i32)
^right(%either : i32):
  %end = arith.addi %either, %start : i32
  func.return %end : i32
}

// Code that no path reaches may refer to anything, as in MLIR.
// CHECK-LABEL: func.func @unreachable
func.func @unreachable(%a : i32) -> i32 {
  func.return %a : i32
^never:
  %first = arith.addi %second, %a : i32
  %second = arith.addi %first, %a : i32
  func.return %second : i32
}

// The body of a module has no order.
// CHECK: arith.addi %late, %late
%sum = arith.addi %late, %late : i32
%late = arith.constant 1 : i32
