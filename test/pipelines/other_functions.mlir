// Functions that are not irtensor's stand beside those that are, and modules in modules are lowered like them.
// RUN: irtensor-opt %s --index-notation-to-loop | filecheck %s --check-prefixes=CHECK,LOOP
// RUN: irtensor-opt %s --index-notation-to-llvm | filecheck %s --check-prefixes=CHECK,LLVM
// RUN: irtensor-opt %s --index-notation-to-loop --loop-to-llvm | filecheck %s --check-prefixes=CHECK,LLVM

builtin.module {
  // LOOP: func.func @copy(%x_n0: index, %x_vals: !loop.buffer<f64> {loop.extents = array<i64: 0>}, %y_n0: index, %y_vals: !loop.buffer<f64> {loop.extents = array<i64: 2>})
  // LLVM: llvm.func @copy(
  func.func @copy(%x: tensor<?xf64>) -> tensor<?xf64> {
    %y = index_notation.assign (%i) : tensor<?xf64> {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    func.return %y : tensor<?xf64>
  }
  // CHECK: func.func @twice(%a: f64) -> f64 {
  // CHECK-NEXT: arith.addf %a, %a : f64
  func.func @twice(%a: f64) -> f64 {
    %b = arith.addf %a, %a : f64
    func.return %b : f64
  }
  // CHECK: func.func @given(%t: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK-NEXT: func.return %t : tensor<4xf64>
  func.func @given(%t: tensor<4xf64>) -> tensor<4xf64> {
    func.return %t : tensor<4xf64>
  }
  // CHECK: func.func @jumps(
  // CHECK: cf.cond_br
  func.func @jumps(%c: i1) {
    cf.cond_br %c, ^left, ^right
  ^left:
    func.return
  ^right:
    func.return
  }
  // CHECK: builtin.module {
  // CHECK-NEXT: builtin.module {
  builtin.module {
    builtin.module {
      algebra.operator @plus(%a: f64, %b: f64) -> f64 attributes {associative, commutative, identity = 0.0 : f64} {
        %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
        algebra.yield %c : f64
      }
      // LOOP: func.func @total(%x_n0: index, %x_vals: !loop.buffer<f64> {loop.extents = array<i64: 0>}, %y_vals: !loop.buffer<f64>)
      // LLVM: llvm.func @total(
      func.func @total(%x: tensor<?xf64>) -> tensor<f64> {
        %y = index_notation.assign () : tensor<f64> {
          %s = index_notation.reduce @plus (%i) : f64 {
            %a = index_notation.access %x[%i] : tensor<?xf64>
            index_notation.yield %a : f64
          }
          index_notation.yield %s : f64
        }
        func.return %y : tensor<f64>
      }
    }
  }
}
