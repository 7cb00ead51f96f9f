// RUN: irtensor-opt %s --split-input-file -p choose-sums | filecheck %s

// The condition is not about the factor.
// CHECK-LABEL: func.func @other
// CHECK: loop.for
// CHECK: arith.select %t, %d
func.func @other(%a: f64, %w: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %t = arith.cmpf une, %one, %zero : f64
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

// -----

// The condition does not say that the factor is zero.
// CHECK-LABEL: func.func @less
// CHECK: loop.for
// CHECK: arith.select %t, %d
func.func @less(%a: f64, %w: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %t = arith.cmpf olt, %a, %zero : f64
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

// -----

// Another number than zero is multiplied.
// CHECK-LABEL: func.func @chosen
// CHECK: loop.for
// CHECK: arith.select %t, %d
func.func @chosen(%a: f64, %w: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %t = arith.cmpf une, %a, %zero : f64
  loop.for %f = %0 to %n {
    %d = loop.load %w[%f] : f64
    %x = arith.select %t, %d, %one : f64
    %v = arith.mulf %a, %x : f64
    %old = loop.load %y[%f] : f64
    %new = arith.addf %old, %v fastmath<reassoc,contract> : f64
    loop.store %new, %y[%f] : f64
  }
  func.return
}

// -----

// The term is subtracted.
// CHECK-LABEL: func.func @difference
// CHECK: loop.for
// CHECK: arith.select %t, %d
func.func @difference(%a: f64, %w: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %t = arith.cmpf une, %a, %zero : f64
  loop.for %f = %0 to %n {
    %d = loop.load %w[%f] : f64
    %x = arith.select %t, %d, %zero : f64
    %v = arith.mulf %a, %x : f64
    %old = loop.load %y[%f] : f64
    %new = arith.subf %old, %v : f64
    loop.store %new, %y[%f] : f64
  }
  func.return
}

// -----

// The sum is stored elsewhere.
// CHECK-LABEL: func.func @elsewhere
// CHECK: loop.for
// CHECK: arith.select %t, %d
func.func @elsewhere(%a: f64, %w: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
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
    loop.store %new, %w[%f] : f64
  }
  func.return
}

// -----

// Negative numbers are multiplied as well, where the condition does not hold.
// CHECK-LABEL: func.func @positive
// CHECK: loop.for
// CHECK: arith.select %t, %d
func.func @positive(%a: i64, %w: !loop.buffer<i64>, %y: !loop.buffer<i64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %t = arith.cmpi sgt, %a, %zero : i64
  loop.for %f = %0 to %n {
    %d = loop.load %w[%f] : i64
    %x = arith.select %t, %d, %zero : i64
    %v = arith.muli %a, %x : i64
    %old = loop.load %y[%f] : i64
    %new = arith.addi %old, %v : i64
    loop.store %new, %y[%f] : i64
  }
  func.return
}

// -----

// The sum is stored elsewhere as well, where it would have the product.
// CHECK-LABEL: func.func @twice
// CHECK: loop.for
// CHECK: arith.select %t, %d
func.func @twice(%a: f64, %w: !loop.buffer<f64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %t = arith.cmpf une, %a, %zero : f64
  loop.for %f = %0 to %n {
    %d = loop.load %w[%f] : f64
    %x = arith.select %t, %d, %zero : f64
    %v = arith.mulf %a, %x : f64
    %old = loop.load %y[%f] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%f] : f64
    loop.store %new, %z[%f] : f64
  }
  func.return
}
