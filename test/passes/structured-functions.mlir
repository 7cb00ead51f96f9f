// Passes leave functions alone that jump between blocks, and those without a body.
// RUN: irtensor-opt %s -p index-notation-to-concrete-index,concrete-index-to-loop,canonicalize | filecheck %s
// RUN: irtensor-opt %s -p split-long-sums,hoist-invariants,append-without-branch,accumulate-in-registers | filecheck %s
// RUN: irtensor-opt %s -p prefetch-gathers,hint-loops | filecheck %s

// CHECK: func.func private @declared(tensor<?xf64>) -> tensor<?xf64>
func.func private @declared(tensor<?xf64>) -> tensor<?xf64>

// CHECK-NEXT: func.func @branches(%c: i1, %x: !loop.buffer<f64>, %n: index) {
// CHECK: cf.cond_br %c, ^again, ^exit
// CHECK: ^again:
// CHECK: loop.store
// CHECK: ^exit:
// CHECK-NEXT: func.return
func.func @branches(%c: i1, %x: !loop.buffer<f64>, %n: index) {
  cf.cond_br %c, ^again, ^exit
^again:
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    %v = loop.load %x[%i] : f64
    loop.store %v, %x[%i] : f64
  }
  cf.br ^exit
^exit:
  func.return
}
