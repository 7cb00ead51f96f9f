// RUN: irtensor-opt %s --split-input-file --verify-diagnostics -p expand-regions | filecheck %s

#sv = #storage.format<(i) -> (i : compressed)>

// What an operator without a region stores follows from its body.
algebra.operator @product(%a: f64, %b: f64) -> f64 {
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}

// CHECK-LABEL: func.func @plain
// CHECK: algebra.apply @product(%x, %y) : (f64, f64) -> f64
func.func @plain(%a: tensor<?xf64, #sv>, %b: tensor<?xf64, #sv>) -> tensor<?xf64, #sv> {
  %c = index_notation.assign (%i) : tensor<?xf64, #sv> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %y = index_notation.access %b[%i] : tensor<?xf64, #sv>
    %z = algebra.apply @product(%x, %y) : (f64, f64) -> f64
    index_notation.yield %z : f64
  }
  func.return %c : tensor<?xf64, #sv>
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>
#inf = #storage.format<(i) -> (i : compressed), fill = inf>

// Operands that have different fill values do not say what is outside.
algebra.operator @mask(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b) -> a and not b>} {
  algebra.yield %a : f64
}
func.func @masked(%a: tensor<?xf64, #inf>, %b: tensor<?xf64, #sv>) -> tensor<?xf64, #inf> {
  %c = index_notation.assign (%i) : tensor<?xf64, #inf> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #inf>
    %y = index_notation.access %b[%i] : tensor<?xf64, #sv>
    // expected-error @+1 {{[no-fill] nothing says what @mask is outside of its region}}
    %z = algebra.apply @mask(%x, %y) : (f64, f64) -> f64
    index_notation.yield %z : f64
  }
  func.return %c : tensor<?xf64, #inf>
}
