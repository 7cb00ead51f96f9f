// RUN: irtensor-opt %s -p lower-algebra-to-arith | filecheck %s

// In memory they are their bits. A number of bf16 is the first half of one of f32, and is rounded to one by integers.
// CHECK-LABEL: func.func @bfloat(%a: i16, %out: !loop.buffer<i16>, %i: index)
func.func @bfloat(%a: bf16, %out: !loop.buffer<bf16>, %i: index) {
  // CHECK-NEXT: [[BITS:%.*]] = arith.extui %a : i16 to i32
  // CHECK-NEXT: [[HALF:%.*]] = arith.constant 16 : i32
  // CHECK-NEXT: [[WORD:%.*]] = arith.shli [[BITS]], [[HALF]] : i32
  // CHECK-NEXT: [[READ:%.*]] = arith.bitcast [[WORD]] : i32 to f32
  %x = algebra.cast %a : bf16 to f32
  // CHECK-NEXT: [[PRODUCT:%.*]] = arith.mulf [[READ]], [[READ]] : f32
  %y = algebra.apply mul(%x, %x) : (f32, f32) -> f32
  // CHECK-NEXT: arith.bitcast [[PRODUCT]] : f32 to i32
  %z = algebra.cast %y : f32 to bf16
  // CHECK: [[STORED:%.*]] = arith.trunci {{.*}} : i32 to i16
  // CHECK-NEXT: loop.store [[STORED]], %out[%i] : i16
  loop.store %z, %out[%i] : bf16
  func.return
}

// An operator computes in f32. One that moves numbers leaves them as they are.
// CHECK-LABEL: func.func @half
func.func @half(%a: f16, %b: f16, %c: i1, %out: !loop.buffer<f16>, %i: index) {
  // CHECK: arith.addf {{.*}} : f32
  // CHECK-NOT: f16
  %sum = algebra.apply add(%a, %b) : (f16, f16) -> f16
  // CHECK: arith.constant 15872 : i16
  %number = algebra.constant 1.5 : f16
  // CHECK-NEXT: arith.select %c, {{.*}} : i16
  %chosen = algebra.apply where(%c, %sum, %number) : (i1, f16, f16) -> f16
  loop.store %chosen, %out[%i] : f16
  func.return
}
