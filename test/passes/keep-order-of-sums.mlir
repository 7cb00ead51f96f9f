// RUN: irtensor-opt %s --split-input-file -p keep-order-of-sums | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p keep-order-of-sums,concrete-index-to-loop,loop-to-llvm | filecheck %s --check-prefix=STRICT
// RUN: irtensor-opt %s --split-input-file -p concrete-index-to-loop,loop-to-llvm | filecheck %s --check-prefix=FAST

// A function is marked. Without a mark its reductions get flags; with one a product is rounded, then added, in order.
// CHECK-LABEL: func.func @dot
// CHECK-SAME: attributes {algebra.keeps_order}
// STRICT-LABEL: llvm.func @dot
// STRICT: [[PRODUCT:%[0-9a-z_]+]] = llvm.fmul %{{[0-9a-z_]+}}, %{{[0-9a-z_]+}} : f64
// STRICT: llvm.fadd %{{[0-9a-z_]+}}, [[PRODUCT]] : f64
// STRICT-NOT: vectorize
// STRICT: llvm.return
// FAST-LABEL: llvm.func @dot
// FAST: llvm.fmul %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f64
// FAST: llvm.fadd %{{.*}} {fastmathFlags = #llvm.fastmath<reassoc,contract>} : f64
// FAST: vectorize = <width = 4 : i64>
func.func @dot(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i attributes {vectorize = 4 : i64} {
      %x = concrete_index.access %a[%i] : tensor<?xf64>
      %y = concrete_index.access %b[%i] : tensor<?xf64>
      %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
      concrete_index.assign add %p into %r[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// -----

// Elements that do not meet are computed in vectors, whatever their order.
// CHECK-LABEL: func.func @scaled
// STRICT-LABEL: llvm.func @scaled
// STRICT: llvm.fmul
// STRICT: vectorize = <width = 4 : i64>
// FAST-LABEL: llvm.func @scaled
// FAST: vectorize = <width = 4 : i64>
func.func @scaled(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %s = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i attributes {vectorize = 4 : i64} {
      %x = concrete_index.access %a[%i] : tensor<?xf64>
      %y = concrete_index.access %b[%i] : tensor<?xf64>
      %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
      concrete_index.assign %p into %r[%i] : tensor<?xf64>
    }
  }
  func.return %s : tensor<?xf64>
}

// -----

// Flags that are there already are removed, in operators as well.
// CHECK-LABEL: algebra.operator @sum
// CHECK-NEXT: algebra.apply add(%a, %b) : (f64, f64) -> f64
// CHECK-LABEL: func.func @flags
// CHECK-SAME: attributes {algebra.keeps_order}
// CHECK-NEXT: algebra.apply add(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT: arith.addf %{{.*}}, %b : f64
// FAST-LABEL: llvm.func @flags
// FAST: llvm.fastmath<reassoc>
// FAST: llvm.fastmath<fast>
// STRICT-LABEL: llvm.func @flags
// STRICT-NOT: fastmath
algebra.operator @sum(%a: f64, %b: f64) -> f64 {
  %c = algebra.apply add(%a, %b) fastmath<reassoc> : (f64, f64) -> f64
  algebra.yield %c : f64
}
func.func @flags(%a: f64, %b: f64, %x: !loop.buffer<f64>) {
  %c = algebra.apply add(%a, %b) fastmath<reassoc> : (f64, f64) -> f64
  %d = arith.addf %c, %b fastmath<fast> : f64
  %zero = arith.constant 0 : index
  loop.store %d, %x[%zero] : f64
  func.return
}
