// Numbers that are no sizes of anything, and names that are given twice.
// RUN: not irtensor-opt %s -p 'split-long-sums{block=0}' 2>&1 | filecheck %s --check-prefix=BLOCK
// RUN: not irtensor-opt %s -p 'index-notation-to-llvm{split-long-sums.block=99999999999}' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not irtensor-opt %s -p 'mask-remainders{width=3}' 2>&1 | filecheck %s --check-prefix=WIDTH
// RUN: not irtensor-opt %s -p 'concretize,autoschedule{budget=-1}' 2>&1 | filecheck %s --check-prefix=BUDGET
// RUN: not irtensor-opt %s -p 'concretize,reorder{order=j,j}' 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not irtensor-opt %s -p 'spread-to-nvvm' 2>&1 | filecheck %s --check-prefix=STAGE

// BLOCK: error: [bad-pass-option] pass 'split-long-sums': block= is a number from 1 to 2147483647, not 0
// BLOCK-NEXT: help: write such a number, or omit block= for 4096
// LARGE: error: [bad-pass-option] pass 'split-long-sums': block= is a number from 1 to 2147483647, not 99999999999
// WIDTH: error: [bad-pass-option] pass 'mask-remainders': width= is 2 or 4 or 8 or 16 or 32 or 64, not 3
// BUDGET: error: [bad-pass-option] pass 'autoschedule': budget= is a number from 1 to 2147483647, not -1
// TWICE: error: [bad-schedule-step] reorder: 'j' is given twice
// TWICE: help: name each loop once
// STAGE: error: [wrong-stage] outline-launches cannot lower 'index_notation.assign'
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
// A statement becomes PTX where kernels stand beside code of the host.
// RUN: irtensor-opt %s --index-notation-to-nvvm -t ptx --cuda-arch=sm_90 | filecheck %s --check-prefix=PTX
// RUN: irtensor-opt %s --index-notation-to-ptx --cuda-arch=sm_90 | filecheck %s --check-prefix=PTX
// PTX: .target sm_90
// PTX: .entry spmv_0(
