// RUN: irtensor-opt %s --split-input-file -p lower-algebra-to-arith | filecheck %s

// Applications that may be regrouped, of an operator for which that is the same: so may what combines its first
// argument. What else is in its body is computed as it is written, and so are applications without flags.
// CHECK-LABEL: func.func @sum_of_squares
// CHECK: [[SQUARE:%[0-9a-z_]+]] = arith.mulf %b, %b : f64
// CHECK-NEXT: arith.addf %a, [[SQUARE]] fastmath<reassoc> : f64
// CHECK: arith.mulf %b, %b : f64
// CHECK-NEXT: arith.addf %a, %{{[0-9a-z_]+}} : f64
algebra.operator @squares(%a: f64, %b: f64) -> f64 attributes {associative, commutative, identity = 0.0 : f64} {
  %c = algebra.apply mul(%b, %b) : (f64, f64) -> f64
  %d = algebra.apply add(%a, %c) : (f64, f64) -> f64
  algebra.yield %d : f64
}
func.func @sum_of_squares(%a: f64, %b: f64, %out: !loop.buffer<f64>) {
  %i = arith.constant 0 : index
  %c = algebra.apply @squares(%a, %b) fastmath<contract,reassoc> : (f64, f64) -> f64
  loop.store %c, %out[%i] : f64
  %d = algebra.apply @squares(%a, %b) : (f64, f64) -> f64
  loop.store %d, %out[%i] : f64
  func.return
}

// -----

// Operators whose order counts, whose first argument is combined with something else first, and that pass one on.
// CHECK-LABEL: func.func @others
// CHECK-NOT: reassoc
// CHECK: func.return
algebra.operator @ordered(%a: f64, %b: f64) -> f64 attributes {associative, identity = 0.0 : f64} {
  %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
  algebra.yield %c : f64
}
algebra.operator @inside(%a: f64, %b: f64) -> f64 attributes {associative, commutative, identity = 0.0 : f64} {
  %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
  %d = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  %e = algebra.apply add(%c, %d) : (f64, f64) -> f64
  algebra.yield %e : f64
}
algebra.operator @left(%a: f64, %b: f64) -> f64 attributes {associative, commutative, identity = 0.0 : f64} {
  %c = algebra.apply first(%a, %b) : (f64, f64) -> f64
  algebra.yield %c : f64
}
func.func @others(%x: f64, %b: f64, %out: !loop.buffer<f64>) {
  %i = arith.constant 0 : index
  %a = algebra.apply mul(%x, %x) : (f64, f64) -> f64
  %c = algebra.apply @ordered(%a, %b) fastmath<reassoc> : (f64, f64) -> f64
  %d = algebra.apply @inside(%c, %b) fastmath<reassoc> : (f64, f64) -> f64
  %e = algebra.apply @left(%a, %d) fastmath<reassoc> : (f64, f64) -> f64
  loop.store %e, %out[%i] : f64
  loop.store %d, %out[%i] : f64
  func.return
}
