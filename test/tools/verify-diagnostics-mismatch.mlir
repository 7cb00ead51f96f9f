// What is not as expected is reported, and the exit code is 1.
// RUN: not irtensor-opt %s --split-input-file --verify-diagnostics 2>&1 >/dev/null | filecheck %s
// RUN: irtensor-opt --verify-diagnostics /dev/null

// CHECK: mismatch.mlir:[[# @LINE + 3]]:3: error: unexpected error: [unknown-operation] operation 'arith.adi' is not registered
// CHECK-NEXT: arith.adi
func.func @unexpected() {
  arith.adi
}

// -----

// CHECK: mismatch.mlir:[[# @LINE + 2]]:21: error: expected error "some text" was not produced
func.func @missing() {
  func.return    // expected-error {{some text}}
}

// -----

// CHECK: mismatch.mlir:[[# @LINE + 5]]:3: error: unexpected error
// CHECK-NEXT: arith.adi
// CHECK: mismatch.mlir:[[# @LINE + 2]]:6: error: expected error "not registered" was not produced
func.func @wrong_line() {
  // expected-error@-1 {{not registered}}
  arith.adi
}

// -----

// CHECK: mismatch.mlir:[[# @LINE + 5]]:8: error: unexpected note: operand defined here
func.func @note(%a : i32) -> i32 {
  // expected-error@+1 {{does not dominate}}
  %1 = arith.addi %0, %a : i32

  %0 = arith.addi %a, %a : i32
  func.return %1 : i32
}

// -----

// CHECK: mismatch.mlir:[[# @LINE + 4]]:6: error: expected warning "not registered" was not produced
func.func @wrong_severity() {
  // expected-error@+3 {{not registered}}
  // Only the severity is wrong here.
  // expected-warning@+1 {{not registered}}
  arith.adi
}
