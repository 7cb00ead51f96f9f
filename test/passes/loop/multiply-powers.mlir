// RUN: irtensor-opt %s --split-input-file -p multiply-powers | filecheck %s

// The fifth power by three products. Bases, exponents and results are doubles.
// CHECK-LABEL: func.func @doubles
// CHECK: [[X:%[a-z0-9_]+]] = loop.load
// CHECK-NEXT: [[SQUARE:%[a-z0-9_]+]] = arith.mulf [[X]], [[X]] : f64
// CHECK-NEXT: [[FOURTH:%[a-z0-9_]+]] = arith.mulf [[SQUARE]], [[SQUARE]] : f64
// CHECK-NEXT: [[FIFTH:%[a-z0-9_]+]] = arith.mulf [[FOURTH]], [[X]] : f64
// CHECK-NEXT: loop.store [[FIFTH]]
func.func @doubles(%x: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %five = arith.constant 5.0 : f64
  loop.for %i = %0 to %n {
    %v = loop.load %x[%i] : f64
    %p = math.powf %v, %five : f64
    loop.store %p, %x[%i] : f64
  }
  func.return
}

// -----

// Single numbers are multiplied as doubles.
// CHECK-LABEL: func.func @singles
// CHECK: [[X:%[a-z0-9_]+]] = arith.extf {{%[a-z0-9_]+}} : f32 to f64
// CHECK-NEXT: [[SQUARE:%[a-z0-9_]+]] = arith.mulf [[X]], [[X]] : f64
// CHECK-NEXT: [[FOURTH:%[a-z0-9_]+]] = arith.mulf [[SQUARE]], [[SQUARE]] : f64
// CHECK-NEXT: [[SIXTH:%[a-z0-9_]+]] = arith.mulf [[FOURTH]], [[SQUARE]] : f64
// CHECK-NEXT: {{%[a-z0-9_]+}} = arith.truncf [[SIXTH]] : f64 to f32
// CHECK: [[PRODUCT:%[a-z0-9_]+]] = arith.mulf
// CHECK: [[ONE:%[a-z0-9_]+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: [[QUOTIENT:%[a-z0-9_]+]] = arith.divf [[ONE]], [[PRODUCT]] : f64
// CHECK-NEXT: {{%[a-z0-9_]+}} = arith.truncf [[QUOTIENT]] : f64 to f32
// CHECK-NOT: math.powf
func.func @singles(%x: !loop.buffer<f32>, %n: index) {
  %0 = arith.constant 0 : index
  %six = arith.constant 6.0 : f32
  %less = arith.constant -2.0 : f32
  loop.for %i = %0 to %n {
    %v = loop.load %x[%i] : f32
    %p = math.powf %v, %six : f32
    %q = math.powf %p, %less : f32
    loop.store %q, %x[%i] : f32
  }
  func.return
}
