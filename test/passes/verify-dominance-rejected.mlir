// RUN: irtensor-opt %s --disable-verify --verify-dominance --split-input-file --verify-diagnostics

// Used before it is defined.
func.func @order(%a : i32) -> i32 {
  // expected-error@+1 {{operand #1 '%late' of 'arith.addi' does not dominate this use}}
  %early = arith.addi %a, %late : i32
  // expected-note@+1 {{operand defined here (op in the same block)}}
  %late = arith.addi %a, %a : i32
  func.return %early : i32
}

// -----

// Defined on one of two paths only.
func.func @paths(%c : i1) -> i32 {
  cf.cond_br %c, ^left, ^right
^left:
  // expected-note@+1 {{operand defined here (op in another block or region)}}
  %left = arith.constant 1 : i32
  cf.br ^right
^right:
  // expected-error@+1 {{operand #0 '%left' of 'func.return' does not dominate this use}}
  func.return %left : i32
}

// -----

// A block's own value does not reach it through a back edge.
func.func @back_edge(%c : i1) -> i32 {
  cf.br ^head
^head:
  cf.cond_br %c, ^body, ^exit
^body:
  // expected-note@+1 {{operand defined here}}
  %value = arith.constant 1 : i32
  cf.br ^head
^exit:
  // expected-error@+1 {{does not dominate}}
  func.return %value : i32
}

// -----

// An operation's result does not reach its own body.
func.func @own_body() {
  // expected-note@+1 {{operand defined here (op encloses its own use)}}
  %outer = "test.op"() ({
    // expected-error@+1 {{does not dominate}}
    "test.op"(%outer) : (i32) -> ()
  }) : () -> i32
  func.return
}
