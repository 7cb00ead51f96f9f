// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

// An operator of the user's, with its traits.
// CHECK: algebra.operator @mean(%a: f64, %b: f64) -> f64 attributes {commutative, identity = 0.000000e+00 : f64} {
algebra.operator @mean(%a: f64, %b: f64) -> f64 attributes {commutative, identity = 0.0 : f64} {
  %half = algebra.constant 0.5 : f64
  // CHECK: %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
  %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
  %m = algebra.apply mul(%s, %half) : (f64, f64) -> f64
  // CHECK: algebra.yield %m : f64
  algebra.yield %m : f64
}

// CHECK: algebra.operator @closest(%{{.*}}: i32, %{{.*}}: i32) -> i32 attributes {associative, idempotent, annihilator = 0 : i32} {
algebra.operator @closest(%a: i32, %b: i32) -> i32 attributes {associative, idempotent, annihilator = 0 : i32} {
  algebra.yield %a : i32
}

// The result has a type of its own, and the annihilator, of the argument type, is a value of it as well.
// CHECK: algebra.operator @ratio(%{{.*}}: i64, %{{.*}}: i64) -> f64 attributes {annihilator = 0 : i64} {
algebra.operator @ratio(%a: i64, %b: i64) -> f64 attributes {annihilator = 0 : i64} {
  %x = algebra.cast %a : i64 to f64
  %y = algebra.cast %b : i64 to f64
  %q = algebra.apply div(%x, %y) : (f64, f64) -> f64
  algebra.yield %q : f64
}

// It distributes over built-in operators, and over those of its module, which may come later.
// CHECK: algebra.operator @times(%{{.*}}: f64, %{{.*}}: f64) -> f64 attributes {commutative, distributes_over = ["add", @latest, "min"]} {
algebra.operator @times(%a: f64, %b: f64) -> f64 attributes {commutative, distributes_over = ["add", @latest, "min"]} {
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}

// CHECK: algebra.operator @latest
algebra.operator @latest(%a: f64, %b: f64) -> f64 attributes {associative} {
  algebra.yield %b : f64
}

// CHECK: algebra.operator @half(%{{.*}}: f64) -> f64 attributes {distributes_over = [@latest]} {
algebra.operator @half(%a: f64) -> f64 attributes {distributes_over = [@latest]} {
  %half = algebra.constant 0.5 : f64
  %p = algebra.apply mul(%a, %half) : (f64, f64) -> f64
  algebra.yield %p : f64
}

// Where it has a value, and other bodies by which operands are stored; of what annihilates, one for each argument.
// CHECK: algebra.operator @mask(%{{.*}}: f64, %{{.*}}: f64) -> f64 attributes {region = #algebra.region<(x, y) -> (x or y) and not (x and y)>, fill = 0.000000e+00 : f64, annihilator = [unit, 1.000000e+00 : f64]} {
// CHECK:      } case [0] {
// CHECK-NEXT: ^bb0(%{{.*}}: f64, %{{.*}}: f64):
// CHECK:      } case [] {
algebra.operator @mask(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(x, y) -> (x or y) and not (x and y)>, fill = 0.0 : f64, annihilator = [unit, 1.0 : f64]} {
  algebra.yield %a : f64
} case [0] {
^bb0(%a: f64, %b: f64):
  algebra.yield %b : f64
} case [] {
^bb0(%a: f64, %b: f64):
  algebra.yield %a : f64
}

// CHECK: algebra.operator @always(%{{.*}}: f64) -> f64 attributes {region = #algebra.region<(a) -> everywhere>} {
algebra.operator @always(%a: f64) -> f64 attributes {region = #algebra.region<(a) -> a or everywhere>} {
  algebra.yield %a : f64
}

// CHECK-LABEL: func.func @entries
func.func @entries(%a: f64) {
  // CHECK: %0 = algebra.apply stored(%a) : (f64) -> i1
  %0 = algebra.apply stored(%a) : (f64) -> i1
  // CHECK: %1 = algebra.apply where(%0, %a, %a) entry : (i1, f64, f64) -> f64
  %1 = algebra.apply where(%0, %a, %a) entry : (i1, f64, f64) -> f64
  // CHECK: %2 = algebra.constant entry 0.000000e+00 : f64
  %2 = algebra.constant entry 0.0 : f64
  func.return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: algebra.constant 1.000000e+00 : f64
  %0 = algebra.constant 1.0 : f64
  // CHECK-NEXT: algebra.constant true
  %1 = algebra.constant true
  // CHECK-NEXT: algebra.constant -3 : i8
  %2 = algebra.constant -3 : i8
  // A complex constant is the pair of its parts.
  // CHECK-NEXT: algebra.constant [1.000000e+00 : f32, -2.000000e+00 : f32]
  %3 = algebra.constant [1.0 : f32, -2.0 : f32]
  // CHECK-NEXT: algebra.apply conj(%{{.*}}) : (complex<f32>) -> complex<f32>
  %4 = algebra.apply conj(%3) : (complex<f32>) -> complex<f32>
  func.return
}

// CHECK-LABEL: func.func @applications
func.func @applications(%a: f64, %c: complex<f64>, %n: i32, %m: i64, %p: i1) {
  // CHECK-NEXT: algebra.apply lt(%a, %a) : (f64, f64) -> i1
  %0 = algebra.apply lt(%a, %a) : (f64, f64) -> i1
  // CHECK-NEXT: algebra.apply abs(%c) : (complex<f64>) -> f64
  %1 = algebra.apply abs(%c) : (complex<f64>) -> f64
  // CHECK-NEXT: algebra.apply where(%p, %n, %n) : (i1, i32, i32) -> i32
  %2 = algebra.apply where(%p, %n, %n) : (i1, i32, i32) -> i32
  // Flags are printed in the order of their names.
  // CHECK-NEXT: algebra.apply add(%a, %a) fastmath<contract,reassoc> : (f64, f64) -> f64
  %3 = algebra.apply add(%a, %a) fastmath<reassoc,contract> : (f64, f64) -> f64
  // CHECK-NEXT: algebra.apply @mean(%a, %a) {note = "user"} : (f64, f64) -> f64
  %4 = algebra.apply @mean(%a, %a) {note = "user"} : (f64, f64) -> f64
  // CHECK-NEXT: algebra.cast %n : i32 to f64
  %5 = algebra.cast %n : i32 to f64
  // CHECK-NEXT: algebra.cast %a : f64 to complex<f64>
  %6 = algebra.cast %a : f64 to complex<f64>
  // CHECK-NEXT: algebra.apply @ratio(%m, %m) : (i64, i64) -> f64
  %7 = algebra.apply @ratio(%m, %m) : (i64, i64) -> f64
  func.return
}

// A conversion that stands in the statement, and one that arithmetic needs.
// CHECK: algebra.operator @whole
algebra.operator @whole(%a: f64, %b: f64) -> f64 {
  // CHECK: %x = algebra.cast %{{.*}} written : f64 to i8
  %x = algebra.cast %a written : f64 to i8
  // CHECK: %y = algebra.cast %x : i8 to f64
  %y = algebra.cast %x : i8 to f64
  // CHECK: %z = algebra.apply complex(%y, %{{.*}}) : (f64, f64) -> complex<f64>
  %z = algebra.apply complex(%y, %b) : (f64, f64) -> complex<f64>
  // CHECK: %r = algebra.apply angle(%z) : (complex<f64>) -> f64
  %r = algebra.apply angle(%z) : (complex<f64>) -> f64
  algebra.yield %r : f64
}
