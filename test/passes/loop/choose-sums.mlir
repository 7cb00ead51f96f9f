// RUN: irtensor-opt %s --split-input-file -p choose-sums | filecheck %s

// What is multiplied by zero is left out of the sum by keeping the old one.
// CHECK-LABEL: func.func @sum
// CHECK:       %d = loop.load %w[%f] : f64
// CHECK-NEXT:  %v = arith.mulf %a, %d : f64
// CHECK-NEXT:  %old = loop.load %y[%f] : f64
// CHECK-NEXT:  %new = arith.addf %old, %v fastmath<reassoc,contract> : f64
// CHECK-NEXT:  [[CHOSEN:%[0-9]+]] = arith.select %t, %new, %old : f64
// CHECK-NEXT:  loop.store [[CHOSEN]], %y[%f] : f64
func.func @sum(%a: f64, %w: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %t = arith.cmpf une, %a, %zero : f64
  loop.for %f = %0 to %n {
    %d = loop.load %w[%f] : f64
    %x = arith.select %t, %d, %zero : f64
    %v = arith.mulf %a, %x : f64
    %old = loop.load %y[%f] : f64
    %new = arith.addf %old, %v fastmath<reassoc,contract> : f64
    loop.store %new, %y[%f] : f64
  }
  func.return
}
