// RUN: irtensor-opt %s -p accumulate-unconditionally | filecheck %s

// CHECK-LABEL: func.func @sums
// CHECK:      %w = loop.scratch {zeroed} : f64
// CHECK:      loop.for
// CHECK:        loop.insert %j into %set
// CHECK-NEXT:   %[[before:.*]] = loop.load %own[%j] : f64
// CHECK-NEXT:   %[[sum:.*]] = algebra.apply add(%[[before]], %v) fastmath<reassoc> : (f64, f64) -> f64
// CHECK-NEXT:   loop.store %[[sum]], %own[%j] : f64
// CHECK:      loop.visit %k in %set {
// CHECK-NEXT:   %total = loop.load %own[%k] : f64
// CHECK-NEXT:   loop.store %total, %out[%k] : f64
// CHECK-NEXT:   %[[zero:.*]] = algebra.constant 0.{{.*}} : f64
// CHECK-NEXT:   loop.store %[[zero]], %own[%k] : f64
// CHECK-NEXT: }
func.func @sums(%n: index, %v: f64, %out: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  loop.for %j = %zero to %n {
    %present = loop.insert %j into %set
    loop.accumulate add %v into %own[%j] where %present fastmath<reassoc> : f64
  }
  loop.visit %k in %set {
    %total = loop.load %own[%k] : f64
    loop.store %total, %out[%k] : f64
  }
  func.return
}

// A loop that takes out members one by one is as good as a visit.
// CHECK-LABEL: func.func @removed
// CHECK:      %w = loop.scratch {zeroed} : f64
// CHECK:      loop.insert %n into %set
// CHECK-NOT:  loop.accumulate
// CHECK:      loop.for %p
// CHECK:        loop.store %total, %out[%p] : f64
// CHECK-NEXT:   %taken = loop.remove %k from %set
// CHECK-NEXT:   %[[zero:.*]] = algebra.constant 0.{{.*}} : f64
// CHECK-NEXT:   loop.store %[[zero]], %own[%k] : f64
func.func @removed(%n: index, %v: f64, %crd: !loop.buffer<index>, %out: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %own = loop.data %w : f64
  %present = loop.insert %n into %set
  loop.accumulate add %v into %own[%n] where %present : f64
  loop.for %p = %zero to %n {
    %k = loop.load %crd[%p] : index
    %total = loop.load %own[%k] : f64
    loop.store %total, %out[%p] : f64
    %taken = loop.remove %k from %set
  }
  func.return
}
