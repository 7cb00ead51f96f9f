// RUN: irtensor-opt %s | irtensor-opt | filecheck %s

// CHECK-LABEL: func.func @assembly
func.func @assembly(%pos: !loop.buffer<i32>, %crd: !loop.growable<i64>, %n: index) {
  // CHECK: [[C:%.*]] = loop.counter
  %c = loop.counter
  // CHECK: [[D:%.*]] = loop.counter from %n
  %d = loop.counter from %n
  // CHECK: [[Q:%.*]] = loop.count [[C]]
  %q = loop.count %c
  // CHECK: loop.append %n to [[C]]
  loop.append %n to %c
  // CHECK: loop.close %pos[[[Q]]] at [[C]] : !loop.buffer<i32>
  loop.close %pos[%q] at %c : !loop.buffer<i32>
  // CHECK: loop.close %pos[[[Q]] to %n] at [[D]] : !loop.buffer<i32>
  loop.close %pos[%q to %n] at %d : !loop.buffer<i32>
  // CHECK: loop.assembled %crd, [[C]] * %n + [[Q]] : !loop.growable<i64>
  loop.assembled %crd, %c * %n + %q : !loop.growable<i64>
  func.return
}

// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%w: !loop.buffer<f64>, %v: f64, %j: index, %was: i1) {
  // CHECK: loop.accumulate max %v into %w[%j] where %was : f64
  loop.accumulate max %v into %w[%j] where %was : f64
  // CHECK: loop.accumulate add %v into %w[%j] where %was fastmath<contract,reassoc> : f64
  loop.accumulate add %v into %w[%j] where %was fastmath<reassoc,contract> : f64
  func.return
}
