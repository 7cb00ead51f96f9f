// The stages one after the other do what a pipeline from the first to the last does.
// RUN: irtensor-opt %s --index-notation-to-llvm > %t.whole
// RUN: irtensor-opt %s --index-notation-to-loop --loop-to-optimized --optimized-to-parallel --parallel-to-arith --arith-to-cpu --cpu-to-llvm > %t.parts
// RUN: irtensor-opt %s --index-notation-to-loop -p loop-to-arith,arith-to-llvm > %t.halves
// RUN: diff %t.whole %t.parts
// RUN: diff %t.whole %t.halves
// RUN: irtensor-opt %s -p index-notation-to-loop,loop-to-parallel | filecheck %s --check-prefix=PARALLEL
// RUN: irtensor-opt %s -p index-notation-to-loop,loop-to-arith | filecheck %s --check-prefix=ARITH
// RUN: irtensor-opt %s -p index-notation-to-loop,loop-to-cpu | filecheck %s --check-prefix=CPU

// PARALLEL: algebra.apply mul
// ARITH-NOT: algebra.
// ARITH: loop.load
// ARITH-NOT: vectorize
// CPU: vectorize = 1
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
