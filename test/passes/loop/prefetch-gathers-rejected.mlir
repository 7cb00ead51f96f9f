// What needs no help, because the hardware sees it coming.
// RUN: irtensor-opt %s --split-input-file -p prefetch-gathers | filecheck %s

// Elements are read in order.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT: loop.prefetch
func.func @ordered(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %p = %lo to %hi {
    %v = loop.load %x[%p] : f64
    loop.store %v, %y[%p] : f64
  }
  func.return
}

// -----

// The coordinate says where to write, not where to read.
// CHECK-LABEL: func.func @scatter
// CHECK-NOT: loop.prefetch
func.func @scatter(%x: !loop.buffer<f64>, %crd: !loop.buffer<index>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %p = %lo to %hi {
    %i = loop.load %crd[%p] : index
    %v = loop.load %x[%p] : f64
    loop.store %v, %y[%i] : f64
  }
  func.return
}
