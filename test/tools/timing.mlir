// RUN: irtensor-opt %s --cse --dce --mlir-timing 2>&1 >/dev/null | filecheck %s
// RUN: irtensor-opt %s -p cse,dce --time-passes 2>/dev/null | filecheck %s --check-prefix=RESULT

// CHECK: ... Execution time report ...
// CHECK: Total Execution Time: {{[0-9.]+}} seconds
// CHECK: ----Wall Time---- ----Name----
// CHECK: Parser
// CHECK: cse
// CHECK: dce
// CHECK: Output
// CHECK: (100.0%) Total
// RESULT-NOT: Time
// RESULT: func.func @f
func.func @f() {
  func.return
}
