// RUN: irtensor-opt %s -p outline-launches --split-input-file --verify-diagnostics

// What a function makes for itself has no memory that kernels could change.
// expected-error @+1 {{[wrong-stage] a cell cannot be an argument: it ends with its function}}
func.func @cell(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %0 to %n {
    %v = loop.load %x[%p] : f64
    loop.set %v, %t : f64
  }
  func.return
}

// -----

// Counters are cells by then, which a kernel may be given.
func.func @counter(%x: !loop.growable<f64>, %n: index) {
  // expected-error @+1 {{[wrong-stage] outline-launches cannot lower 'loop.counter'}}
  %c = loop.counter
  loop.assembled %x, %c * %n + %n : !loop.growable<f64>
  func.return
}
