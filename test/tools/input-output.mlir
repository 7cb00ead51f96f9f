// RUN: irtensor-opt %s -o %t.mlir
// RUN: filecheck %s < %t.mlir
// RUN: irtensor-opt %s -o - | filecheck %s
// RUN: irtensor-opt - < %s | filecheck %s
// RUN: irtensor-opt < %s | filecheck %s

// Nothing is written where something failed.
// RUN: rm -f %t.none
// RUN: not irtensor-opt %s --no-implicit-module --split-input-file -o %t.none
// RUN: not ls %t.none

// An empty input is an empty module; an unknown dialect must be allowed.
// RUN: irtensor-opt /dev/null | filecheck %s --check-prefix=EMPTY
// RUN: echo '"nothing.at_all"() : () -> ()' | not irtensor-opt 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: echo '"nothing.at_all"() : () -> ()' | irtensor-opt --allow-unregistered-dialect | filecheck %s --check-prefix=ALLOWED

// CHECK: builtin.module
// CHECK: func.func @f
// EMPTY: builtin.module {
// EMPTY-NEXT: }
// UNKNOWN: <stdin>:1:2: error: [unknown-operation] operation 'nothing.at_all' is not registered
// UNKNOWN: help: dialect 'nothing' is not registered; --allow-unregistered-dialect
// ALLOWED: "nothing.at_all"() : () -> ()
func.func @f() {
  func.return
}
