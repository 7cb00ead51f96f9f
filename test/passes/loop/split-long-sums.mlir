// RUN: irtensor-opt %s --split-input-file -p split-long-sums | filecheck %s

// Blocks of 4096 have sums of their own.
// CHECK-LABEL: func.func @sum
// CHECK:      loop.for %{{.*}} = %{{.*}} to %[[BLOCKS:.*]] {
// CHECK:        %[[END:.*]] = arith.minsi
// CHECK:        %[[S:.*]] = loop.cell %{{.*}} : f64
// CHECK-NEXT:   loop.for %i = %{{.*}} to %[[END]] {
// CHECK:          loop.get %[[S]] : f64
// CHECK:          loop.set %{{.*}}, %[[S]] : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   %{{.*}} = loop.get %t : f64
// CHECK-NEXT:   %{{.*}} = loop.get %[[S]] : f64
// CHECK-NEXT:   %{{.*}} = arith.addf
// CHECK-NEXT:   loop.set %{{.*}}, %t : f64
func.func @sum(%x: !loop.buffer<f64>, %n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %i = %c0 to %n {
    %v = loop.load %x[%i] : f64
    %u = loop.get %t : f64
    %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
    loop.set %w, %t : f64
  }
  %r = loop.get %t : f64
  loop.store %r, %y[%c0] : f64
  func.return
}
