// RUN: irtensor-opt %s -p prefetch-gathers | filecheck %s

// CHECK-NOT: loop.prefetch

// LLVM makes vectors of this loop, which a prefetch in it would prevent.
func.func @dot(%end: index, %crd: !loop.buffer<i64>, %a: !loop.buffer<f64>, %x: !loop.buffer<f64>, %s: !loop.cell<f64>) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %end {
    %c64 = loop.load %crd[%p] : i64
    %c = arith.index_cast %c64 : i64 to index
    %v = loop.load %x[%c] : f64
    %old = loop.get %s : f64
    %new = arith.addf %old, %v : f64
    loop.set %new, %s : f64
  }
  func.return
}

// Consecutive elements: the processor sees them coming.
func.func @consecutive(%end: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %end {
    %v = loop.load %x[%p] : f64
    loop.store %v, %y[%p] : f64
  }
  func.return
}
