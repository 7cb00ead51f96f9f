// Every error says file, line and column, shows the line, and underlines the place; other pieces still go through.
// RUN: not irtensor-opt %s --split-input-file 2>&1 >%t.output | filecheck %s --strict-whitespace
// RUN: filecheck %s --check-prefix=OUTPUT < %t.output
// RUN: not irtensor-opt --split-input-file < %s 2>&1 | filecheck %s --check-prefix=STDIN

// CHECK: /located-errors.mlir:[[# @LINE + 6]]:8: error: [verify] 'arith.addi' op operand 'rhs' at position 1
// CHECK-NEXT:    %1 = "arith.addi"(%a, %b) <{overflowFlags
// CHECK-NEXT:{{^}}         ^^^^^^^^^^^^{{$}}
// STDIN: <stdin>:[[# @LINE + 3]]:8: error: [verify]
// OUTPUT-NOT: @wrong_type
func.func @wrong_type(%a : i32, %b : i64) {
  %1 = "arith.addi"(%a, %b) <{overflowFlags = #arith.overflow<none>}> : (i32, i64) -> i32
  func.return
}

// -----

// A tab stays a tab below the line.
// CHECK-NEXT: /located-errors.mlir:[[# @LINE + 5]]:7: error: [unknown-operation] operation 'arith.adi' is not registered
// CHECK-NEXT:  	%1 = arith.adi %a, %a : i32
// CHECK-NEXT:{{^}}  	     ^^^^^^^^^{{$}}
// CHECK-NEXT: help: did you mean arith.a
func.func @unknown(%a : i32) {
	%1 = arith.adi %a, %a : i32
  func.return
}

// -----

// OUTPUT-LABEL: func.func @right
func.func @right(%a : i32) -> i32 {
  func.return %a : i32
}

// -----

// CHECK-NEXT: /located-errors.mlir:[[# @LINE + 3]]:20: error: [syntax-error] Expected '('
func.func @syntax(%a : i32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = func.call @f[%0] : (i32) -> i32
  func.return %a : i32
}

// -----

// CHECK: /located-errors.mlir:[[# @LINE + 1]]:28: error: [syntax-error] SSA value %b is already defined
func.func @twice(%b : i32, %b : i32) {
  func.return
}

// -----

// The location of an attribute that its own verifier rejects.
// CHECK: /located-errors.mlir:[[# @LINE + 1]]:40: error: [verify] parameter 'elem' does not verify
func.func @attribute() attributes {x = !cmath.complex<i32>} {
  func.return
}

// -----

// Defined inside a loop, used after it.
// CHECK: /located-errors.mlir:[[# @LINE + 9]]:21: error: [syntax-error] value %inner is used here, but not defined
// CHECK-NEXT: arith.addi %inner, %one
// CHECK-NEXT:{{^}}                      ^^^^^^{{$}}
func.func @after_loop(%n : index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %inner = arith.addi %i, %i : index
  }
  %sum = arith.addi %inner, %one : index
  func.return %sum : index
}

// -----

// Used before the operation that it is defined in.
// CHECK: /located-errors.mlir:[[# @LINE + 2]]:3: error: [syntax-error] operand #0 of 'loop.for' is defined inside of it
func.func @inside(%n : index) {
  loop.for %i = %inner to %n {
    %inner = arith.constant 0 : index
  }
  func.return
}

// -----

// CHECK: /located-errors.mlir:[[# @LINE + 6]]:1: error: [syntax-error] re-declaration of block 'again'
func.func @blocks() {
  cf.br ^again
^again:
  cf.br ^exit
^exit:
^again:
  func.return
}

// -----

// What xDSL's parser trips over is an error as well: a type without its parameter, a number that does not fit.
// CHECK: /located-errors.mlir:[[# @LINE + 1]]:30: error: [syntax-error] !loop.cell cannot have these parameters
func.func @parameters(%cell: !loop.cell) {
  func.return
}

// -----

// An operation so broken that xDSL cannot print it in its message about the one around it.
// CHECK: /located-errors.mlir:[[# @LINE + 2]]:3: error: [verify] 'func.func' op Expected 0 operands, but got 1
func.func @inner(%n : index) {
  "func.func"(%n) : (index) -> ()
  func.return
}

// -----

// CHECK: /located-errors.mlir:[[# @LINE + 1]]:1: error: [syntax-error] this cannot be read (ValueError: invalid literal
func.func @number() attributes {x = tensor<?x²xf64>} {
  func.return
}

// -----

// A word that an enumeration lacks.
// CHECK: /located-errors.mlir:[[# @LINE + 1]]:38: error: [syntax-error] #vector.kind cannot have these parameters
func.func @word() attributes {kind = #vector.kind<square>} {
  func.return
}

// -----

// The same within a type that one of our operations asks for.
func.func @shape(%x : tensor<?xf64>) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
// CHECK: /located-errors.mlir:[[# @LINE + 1]]:10: error: [syntax-error] this cannot be read (ValueError: invalid literal
    %a = index_notation.access %x[%i] : tensor<?x²xf64>
  }
  func.return
}
