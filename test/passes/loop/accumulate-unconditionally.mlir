// RUN: irtensor-opt %s -p accumulate-unconditionally | filecheck %s

// CHECK-LABEL: func.func @sums
// CHECK:      %w = loop.scratch {zeroed} : f64
// CHECK:      loop.for
// CHECK:        loop.insert %j into %set
// CHECK-NEXT:   %before = loop.load %own[%j] : f64
// CHECK-NEXT:   %sum = algebra.apply add(%before, %v) : (f64, f64) -> f64
// CHECK-NEXT:   loop.store %sum, %own[%j] : f64
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
    %before = loop.load %own[%j] : f64
    %sum = algebra.apply add(%before, %v) : (f64, f64) -> f64
    %first = arith.select %present, %sum, %v : f64
    loop.store %first, %own[%j] : f64
  }
  loop.visit %k in %set {
    %total = loop.load %own[%k] : f64
    loop.store %total, %out[%k] : f64
  }
  func.return
}
