// RUN: irtensor-opt %s --split-input-file -p multiply-powers | filecheck %s

// LLVM computes squares, roots and reciprocals itself. The error of many products of doubles would add up, and the
// product that a reciprocal is taken of may overflow where that does not.
// CHECK-LABEL: func.func @other_exponents
// CHECK-COUNT-7: math.powf
// CHECK-NOT: arith.mulf
// CHECK: func.return
func.func @other_exponents(%x: f64, %y: f32, %out: !loop.buffer<f64>, %single: !loop.buffer<f32>) {
  %0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f64
  %half = arith.constant 2.5 : f64
  %six = arith.constant 6.0 : f64
  %less = arith.constant -3.0 : f64
  %a = math.powf %x, %two : f64
  %b = math.powf %a, %half : f64
  %c = math.powf %b, %six : f64
  %d = math.powf %c, %less : f64
  %e = math.powf %d, %d : f64
  loop.store %e, %out[%0] : f64
  %minus = arith.constant -1.0 : f32
  %many = arith.constant 65.0 : f32
  %f = math.powf %y, %minus : f32
  %g = math.powf %f, %many : f32
  loop.store %g, %single[%0] : f32
  func.return
}

// -----

// CHECK-LABEL: func.func @as_it_is_written
// CHECK: math.powf
// CHECK-NOT: arith.mulf
// CHECK: func.return
func.func @as_it_is_written(%x: f64, %out: !loop.buffer<f64>) attributes {algebra.keeps_order} {
  %0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f64
  %a = math.powf %x, %three : f64
  loop.store %a, %out[%0] : f64
  func.return
}
