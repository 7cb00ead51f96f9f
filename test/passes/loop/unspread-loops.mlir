// RUN: irtensor-opt %s -p unspread-loops | filecheck %s
// RUN: irtensor-opt %s -p unspread-loops,lower-loop-to-llvm | filecheck %s --check-prefix LLVM

// Loops on blocks, threads, teams and lanes are plain loops; what threads share is memory of the function.
// CHECK-LABEL: func.func @sums
// CHECK-NEXT:  [[SCRATCH:%.*]] = loop.scratch : f64
// CHECK-NEXT:  [[COUNT:%.*]] = arith.constant 128 : index
// CHECK-NEXT:  loop.reserve [[SCRATCH]], [[COUNT]] : f64
// CHECK-NEXT:  [[MEMORY:%.*]] = loop.data [[SCRATCH]] : f64
// CHECK:       loop.for %b = %c0 to %n {
// CHECK-NEXT:    loop.for %t = %c0 to %c128 attributes {busy} {
// CHECK-NEXT:      [[V:%.*]] = loop.load %x[%t] : f64
// CHECK-NEXT:      loop.store [[V]], [[MEMORY]][%t] : f64
// CHECK:         loop.for %g = %c0 to %c4 {
// CHECK-NEXT:      [[SUM:%.*]] = loop.cell
// CHECK-NEXT:      loop.for %l = %c0 to %c32 {
// CHECK-NEXT:        [[W:%.*]] = loop.load [[MEMORY]][%l] : f64
// CHECK-NEXT:        [[OLD:%.*]] = loop.get [[SUM]] : f64
// CHECK-NEXT:        [[PRODUCT:%.*]] = arith.mulf [[OLD]], [[W]] : f64
// CHECK-NEXT:        [[TWICE:%.*]] = arith.addf [[PRODUCT]], [[PRODUCT]] : f64
// CHECK-NEXT:        loop.set [[TWICE]], [[SUM]] : f64
// CHECK-NEXT:      }
// LLVM-NOT:    loop.
func.func @sums(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  loop.parallel %b = %c0 to %n on blocks(128) {
    %s = loop.shared 128 : f64
    loop.parallel %t = %c0 to %c128 on threads attributes {busy} {
      %v = loop.load %x[%t] : f64
      loop.store %v, %s[%t] : f64
    }
    loop.barrier
    loop.parallel %g = %c0 to %c4 on teams(32) {
      %sum = loop.cell %zero : f64
      loop.parallel %l = %c0 to %c32 on lanes {
        %v = loop.load %s[%l] : f64
        loop.reduce %v into %sum (%a: f64, %c: f64) {
          %d = arith.mulf %a, %c : f64
          %e = arith.addf %d, %d : f64
          loop.yield %e : f64
        }
      }
      %r = loop.get %sum : f64
      loop.store %r, %y[%g] : f64
    }
  }
  func.return
}
