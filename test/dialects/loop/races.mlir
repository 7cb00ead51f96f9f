// RUN: irtensor-opt %s | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

// CHECK-LABEL: func.func @races
func.func @races(%b: !loop.buffer<f64>, %flags: !loop.buffer<i1>, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: loop.view %b[%n] : f64
  %v = loop.view %b[%n] : f64
  // CHECK: [[OWN:%.*]] = loop.private add %b[%c0 to %n] : f64
  %own = loop.private add %b[%c0 to %n] : f64
  // CHECK: [[PARTS:%.*]] = loop.parts %n each %n
  %parts = loop.parts %n each %n
  loop.parallel %i = %c0 to %parts {
    %x = loop.load %own[%i] : f64
    // CHECK: loop.atomic %b[%i] ([[OLD:%.*]]: f64) {
    loop.atomic %b[%i] (%old: f64) {
      // CHECK-NEXT: [[NEW:%.*]] = arith.mulf [[OLD]], %x : f64
      %new = arith.mulf %old, %x : f64
      // CHECK-NEXT: loop.yield [[NEW]] : f64
      loop.yield %new : f64
    }
    // CHECK: loop.atomic %flags[%i]
    loop.atomic %flags[%i] (%old: i1) {
      loop.yield %old : i1
    }
  }
  func.return
}
