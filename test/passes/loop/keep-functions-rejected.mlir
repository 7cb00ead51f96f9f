// RUN: irtensor-opt %s --split-input-file -p keep-functions | filecheck %s

// Roots take as long as an element is read.
// CHECK-LABEL: func.func @roots
// CHECK: algebra.apply sqrt(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply sqrt(
// CHECK: func.return
func.func @roots(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply sqrt(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply sqrt(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// Whole powers are products.
// CHECK-LABEL: func.func @squares
// CHECK: algebra.apply pow(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply pow(
// CHECK: func.return
func.func @squares(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply pow(%v, %two) : (f64, f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply pow(%v, %two) : (f64, f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// Another range.
// CHECK-LABEL: func.func @ranges
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply exp(
// CHECK: func.return
func.func @ranges(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %k {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// Another function.
// CHECK-LABEL: func.func @functions
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply expm1(
// CHECK: func.return
func.func @functions(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply expm1(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// The same function of something else.
// CHECK-LABEL: func.func @operands
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply exp(
// CHECK: func.return
func.func @operands(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %z[%j] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// What the function is of changes between the loops.
// CHECK-LABEL: func.func @changes
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply exp(
// CHECK: func.return
func.func @changes(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.store %zero, %x[%0] : f64
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// The row of results is read between the loops, as old values are.
// CHECK-LABEL: func.func @is_read
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply exp(
// CHECK: func.return
func.func @is_read(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  %was = loop.load %y[%0] : f64
  loop.set %was, %s : f64
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// Old values of the row are read.
// CHECK-LABEL: func.func @old_values
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply exp(
// CHECK: func.return
func.func @old_values(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    %was = loop.load %y[%j] : f64
    %added = algebra.apply add(%r, %was) : (f64, f64) -> f64
    loop.store %added, %y[%j] : f64
  }
  func.return
}

// -----

// Elements have another type.
// CHECK-LABEL: func.func @types
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply exp(
// CHECK: func.return
func.func @types(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f32>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    %c = algebra.cast %r : f64 to f32
    loop.store %c, %y[%j] : f32
  }
  func.return
}

// -----

// All iterations store to the same element.
// CHECK-LABEL: func.func @one_element
// CHECK: algebra.apply exp(
// CHECK-NOT: loop.store %e
// CHECK: loop.for %j =
// CHECK: algebra.apply exp(
// CHECK: func.return
func.func @one_element(%x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %k: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %two = algebra.constant 2.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply exp(%v) : (f64) -> f64
    %sum = loop.get %s : f64
    %r = algebra.apply div(%e, %sum) : (f64, f64) -> f64
    loop.store %r, %y[%k] : f64
  }
  func.return
}
