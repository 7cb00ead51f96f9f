// RUN: irtensor-opt %s --split-input-file -p exit-early | filecheck %s
// CHECK-NOT: loop.while

// 0 times NaN is NaN.
func.func @floats(%n: index, %a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %s: !loop.buffer<f64>) {
  %0 = arith.constant 0 : index
  %start = algebra.constant 1.0 : f64
  %t = loop.cell %start : f64
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : f64
    %2 = loop.get %t : f64
    %3 = algebra.apply mul(%2, %1) : (f64, f64) -> f64
    loop.set %3, %t : f64
  }
  %5 = loop.get %t : f64
  loop.store %5, %s[%0] : f64
  func.return
}

// -----

// The least 64-bit number is hardly ever there.
func.func @wide(%n: index, %a: !loop.buffer<i64>, %b: !loop.buffer<i64>, %s: !loop.buffer<i64>) {
  %0 = arith.constant 0 : index
  %start = algebra.constant 9223372036854775807 : i64
  %t = loop.cell %start : i64
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : i64
    %2 = loop.get %t : i64
    %3 = algebra.apply min(%2, %1) : (i64, i64) -> i64
    loop.set %3, %t : i64
  }
  %5 = loop.get %t : i64
  loop.store %5, %s[%0] : i64
  func.return
}

// -----

// No number keeps a sum.
func.func @sums(%n: index, %a: !loop.buffer<i8>, %b: !loop.buffer<i8>, %s: !loop.buffer<i8>) {
  %0 = arith.constant 0 : index
  %start = algebra.constant 0 : i8
  %t = loop.cell %start : i8
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : i8
    %2 = loop.get %t : i8
    %3 = algebra.apply add(%2, %1) : (i8, i8) -> i8
    loop.set %3, %t : i8
  }
  %5 = loop.get %t : i8
  loop.store %5, %s[%0] : i8
  func.return
}

// -----

// The loop stores something else as well.
func.func @stores(%n: index, %a: !loop.buffer<i1>, %b: !loop.buffer<i1>, %s: !loop.buffer<i1>) {
  %0 = arith.constant 0 : index
  %start = algebra.constant false
  %t = loop.cell %start : i1
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : i1
    %2 = loop.get %t : i1
    %3 = algebra.apply or(%2, %1) : (i1, i1) -> i1
    loop.store %1, %b[%i] : i1
    loop.set %3, %t : i1
  }
  %5 = loop.get %t : i1
  loop.store %5, %s[%0] : i1
  func.return
}

// -----

// The number is not what the operator gives.
func.func @other(%n: index, %a: !loop.buffer<i1>, %b: !loop.buffer<i1>, %s: !loop.buffer<i1>) {
  %0 = arith.constant 0 : index
  %start = algebra.constant false
  %t = loop.cell %start : i1
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : i1
    %2 = loop.get %t : i1
    %3 = algebra.apply or(%2, %1) : (i1, i1) -> i1
    %4 = algebra.apply not(%3) : (i1) -> i1
    loop.set %4, %t : i1
  }
  %5 = loop.get %t : i1
  loop.store %5, %s[%0] : i1
  func.return
}

// -----

// The number is read on the way.
func.func @reads(%n: index, %a: !loop.buffer<i1>, %b: !loop.buffer<i1>, %s: !loop.buffer<i1>) {
  %0 = arith.constant 0 : index
  %start = algebra.constant false
  %t = loop.cell %start : i1
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : i1
    %2 = loop.get %t : i1
    %3 = algebra.apply or(%2, %1) : (i1, i1) -> i1
    loop.store %2, %b[%0] : i1
    loop.set %3, %t : i1
  }
  %5 = loop.get %t : i1
  loop.store %5, %s[%0] : i1
  func.return
}

// -----

// Nothing says what a part of the loop would start from.
algebra.operator @product(%a : i8, %b : i8) -> i8 attributes {annihilator = 0 : i8} {
  %p = algebra.apply mul(%a, %b) : (i8, i8) -> i8
  algebra.yield %p : i8
}
func.func @declared(%n: index, %a: !loop.buffer<i8>, %s: !loop.buffer<i8>) {
  %0 = arith.constant 0 : index
  %one = algebra.constant 1 : i8
  %t = loop.cell %one : i8
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : i8
    %2 = loop.get %t : i8
    %3 = algebra.apply @product(%2, %1) : (i8, i8) -> i8
    loop.set %3, %t : i8
  }
  %5 = loop.get %t : i8
  loop.store %5, %s[%0] : i8
  func.return
}

// -----

// Both arguments are the number.
func.func @twice(%n: index, %s: !loop.buffer<i8>) {
  %0 = arith.constant 0 : index
  %one = algebra.constant 2 : i8
  %t = loop.cell %one : i8
  loop.for %i = %0 to %n {
    %2 = loop.get %t : i8
    %3 = algebra.apply mul(%2, %2) : (i8, i8) -> i8
    loop.set %3, %t : i8
  }
  %5 = loop.get %t : i8
  loop.store %5, %s[%0] : i8
  func.return
}
