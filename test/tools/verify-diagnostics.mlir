// Every form of a designator, all met.
// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

func.func @next_line(%a : i32, %b : i64) {
  // expected-error@+1 {{[verify] 'arith.addi' op operand 'rhs' at position 1}}
  %1 = "arith.addi"(%a, %b) <{overflowFlags = #arith.overflow<none>}> : (i32, i64) -> i32
  func.return
}

// -----

func.func @same_line() {
  arith.adi // expected-error {{operation 'arith.adi' is not registered}}
}

// -----

func.func @line_before() {
  arith.adi
  // expected-error@-1 {{[unknown-operation]}}
}

// -----

// A note has a designator of its own; @below and @above pass over other designators.
func.func @note(%a : i32) -> i32 {
  // expected-error@below {{operand #0 of 'arith.addi' does not dominate this use}}
  // expected-note@+2 {{operand defined here (op in the same block)}}
  %1 = arith.addi %0, %a : i32
  %0 = arith.addi %a, %a : i32
  func.return %1 : i32
}

// -----

func.func @above() {
  arith.adi
  // expected-error@above {{not registered}}
}

// -----

func.func @regex() {
  // expected-error-re@+1 {{operation '{{[a-z]+\.ad.}}' is not registered}}
  arith.adi
}

// -----

// Several errors in one piece.
func.func @first(%a : i32, %b : i64) {
  // expected-error@+1 {{operand 'rhs'}}
  %1 = "arith.addi"(%a, %b) <{overflowFlags = #arith.overflow<none>}> : (i32, i64) -> i32
  func.return
}
func.func @second(%a : i32, %b : i64) {
  // expected-error@+1 {{operand 'rhs'}}
  %1 = "arith.addi"(%b, %a) <{overflowFlags = #arith.overflow<none>}> : (i64, i32) -> i32
  func.return
}
