// RUN: irtensor-opt %s --split-input-file -p split-long-sums | filecheck %s

// The order of the additions was asked for.
// CHECK-LABEL: func.func @strict
// CHECK-NOT: arith.minsi
func.func @strict(%x: !loop.buffer<f64>, %n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %i = %c0 to %n {
    %v = loop.load %x[%i] : f64
    %u = loop.get %t : f64
    %w = arith.addf %u, %v : f64
    loop.set %w, %t : f64
  }
  %r = loop.get %t : f64
  loop.store %r, %y[%c0] : f64
  func.return
}

// -----

// Rows inside a loop are mostly short; blocks would cost more than they gain.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: arith.minsi
func.func @rows(%x: !loop.buffer<f64>, %n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  loop.for %i = %c0 to %n {
    %t = loop.cell %zero : f64
    loop.for %j = %c0 to %n {
      %v = loop.load %x[%j] : f64
      %u = loop.get %t : f64
      %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
      loop.set %w, %t : f64
    }
    %r = loop.get %t : f64
    loop.store %r, %y[%i] : f64
  }
  func.return
}

// -----

// A running sum is read in the loop: every iteration needs the whole of it.
// CHECK-LABEL: func.func @prefix
// CHECK-NOT: arith.minsi
func.func @prefix(%x: !loop.buffer<f64>, %n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %i = %c0 to %n {
    %v = loop.load %x[%i] : f64
    %u = loop.get %t : f64
    %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
    loop.store %u, %y[%i] : f64
    loop.set %w, %t : f64
  }
  func.return
}
