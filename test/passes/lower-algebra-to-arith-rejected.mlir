// RUN: irtensor-opt %s --split-input-file -p lower-algebra-to-arith --verify-diagnostics

func.func @unsupported(%a: complex<f64>) {
  // expected-error @+1 {{[unsupported-operator] operator 'floor' is not defined for elements of type complex<f64>}}
  %0 = algebra.apply floor(%a) : (complex<f64>) -> complex<f64>
  func.return
}

// -----

func.func @undeclared(%a: f64) {
  // expected-error @+1 {{[unknown-operator] no algebra.operator @f is declared}}
  %0 = algebra.apply @f(%a) : (f64) -> f64
  func.return
}

// -----

algebra.operator @f(%a: f64) -> f64 {
  // expected-error @+1 {{[recursive-operator] operator @f applies itself}}
  %b = algebra.apply @f(%a) : (f64) -> f64
  algebra.yield %b : f64
}
func.func @endless(%a: f64) {
  %0 = algebra.apply @f(%a) : (f64) -> f64
  func.return
}

// -----

// Which operands are stored is known as long as there are tensors.
algebra.operator @mask(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b) -> a and not b>} {
  algebra.yield %a : f64
}
func.func @region(%a: f64, %b: f64) -> f64 {
  // expected-error @+1 {{[wrong-stage] @mask computes by which operands are stored, which is not known here}}
  %r = algebra.apply @mask(%a, %b) : (f64, f64) -> f64
  func.return %r : f64
}
