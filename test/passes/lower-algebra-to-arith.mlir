// RUN: irtensor-opt %s -p lower-algebra-to-arith | filecheck %s

// CHECK-NOT: algebra.operator
algebra.operator @mean(%a: f64, %b: f64) -> f64 {
  %half = algebra.constant 0.5 : f64
  %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
  %t = algebra.apply mul(%s, %half) : (f64, f64) -> f64
  algebra.yield %t : f64
}

// CHECK-LABEL: func.func @floats
func.func @floats(%a: f64, %b: f64, %out: !loop.buffer<f64>, %i: index) {
  // Only where an attribute allows it does a sum lose its order.
  // CHECK: arith.addf %a, %b fastmath<reassoc> : f64
  %0 = algebra.apply add(%a, %b) fastmath<reassoc> : (f64, f64) -> f64
  // CHECK-NEXT: arith.mulf %{{.*}}, %b : f64
  %1 = algebra.apply mul(%0, %b) : (f64, f64) -> f64
  // A NaN operand gives NaN.
  // CHECK-NEXT: arith.minimumf
  %2 = algebra.apply min(%1, %b) : (f64, f64) -> f64
  // CHECK-NEXT: arith.cmpf une
  %3 = algebra.apply ne(%2, %b) : (f64, f64) -> i1
  // CHECK-NEXT: arith.select
  %4 = algebra.apply where(%3, %a, %b) : (i1, f64, f64) -> f64
  // CHECK-NEXT: math.exp
  %5 = algebra.apply exp(%4) : (f64) -> f64
  // The user's operator is inlined.
  // CHECK-NEXT: arith.constant 5.000000e-01 : f64
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: [[R:%.*]] = arith.mulf
  %6 = algebra.apply @mean(%5, %b) : (f64, f64) -> f64
  // CHECK-NEXT: loop.store [[R]], %out[%i] : f64
  loop.store %6, %out[%i] : f64
  func.return
}

// Integer division never traps: zero and minus one are taken out of the divisor, and put back into the result.
// CHECK-LABEL: func.func @integers
func.func @integers(%a: i32, %b: i32, %out: !loop.buffer<i32>, %i: index) {
  // CHECK: arith.cmpi eq, %b
  // CHECK: arith.cmpi eq, %b
  // CHECK: [[SAFE:%.*]] = arith.select
  // CHECK: arith.floordivsi %a, [[SAFE]] : i32
  %0 = algebra.apply floordiv(%a, %b) : (i32, i32) -> i32
  loop.store %0, %out[%i] : i32
  // CHECK: loop.store
  // A constant divisor needs no such care.
  // CHECK-NEXT: arith.constant 3 : i32
  // CHECK-NEXT: arith.floordivsi %a
  %three = algebra.constant 3 : i32
  %1 = algebra.apply floordiv(%a, %three) : (i32, i32) -> i32
  loop.store %1, %out[%i] : i32
  func.return
}

// CHECK-LABEL: func.func @bools
func.func @bools(%a: i1, %b: i1, %out: !loop.buffer<complex<f64>>, %i: index) {
  // The sum of truth values is "or".
  // CHECK: arith.ori %a, %b : i1
  %0 = algebra.apply add(%a, %b) : (i1, i1) -> i1
  // CHECK-NEXT: arith.uitofp %{{.*}} : i1 to f64
  // CHECK: complex.create
  %1 = algebra.cast %0 : i1 to complex<f64>
  loop.store %1, %out[%i] : complex<f64>
  func.return
}

// LLVM does not define what a float that is out of range becomes: it is the least integer, whose low bits remain.
// CHECK-LABEL: func.func @truncated
// CHECK: [[SIZE:%.*]] = math.absf %a : f64
// CHECK: [[LIMIT:%.*]] = arith.constant 0x41E0000000000000 : f64
// CHECK: [[FITS:%.*]] = arith.cmpf olt, [[SIZE]], [[LIMIT]] : f64
// CHECK: [[WHOLE:%.*]] = arith.fptosi %a : f64 to i32
// CHECK: [[LEAST:%.*]] = arith.constant -2147483648 : i32
// CHECK: [[NUMBER:%.*]] = arith.select [[FITS]], [[WHOLE]], [[LEAST]] : i32
// CHECK: arith.trunci [[NUMBER]] : i32 to i8
func.func @truncated(%a: f64, %out: !loop.buffer<i8>, %i: index) {
  %0 = algebra.cast %a written : f64 to i8
  loop.store %0, %out[%i] : i8
  func.return
}

// A value is combined with what is stored already, and stored as it is where nothing is.
// CHECK-LABEL: func.func @accumulate
// CHECK-NEXT: [[OLD:%.*]] = loop.load %w[%j] : f64
// CHECK-NEXT: [[SUM:%.*]] = arith.addf [[OLD]], %v fastmath<reassoc> : f64
// CHECK-NEXT: [[KEPT:%.*]] = arith.select %was, [[SUM]], %v : f64
// CHECK-NEXT: loop.store [[KEPT]], %w[%j] : f64
// CHECK-NEXT: func.return
func.func @accumulate(%w: !loop.buffer<f64>, %v: f64, %j: index, %was: i1) {
  loop.accumulate add %v into %w[%j] where %was fastmath<reassoc> : f64
  func.return
}
