// Zeros that may not be dropped.
// RUN: irtensor-opt %s --split-input-file -p lower-run | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// 0 is not the identity of max: a stored entry may be negative.
// CHECK-LABEL: func.func @maximum
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   [[N0:%[a-z0-9_]+]] = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT:   iteration_lattice.update max [[N0]] into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @maximum(%x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %run = iteration_lattice.run %zero : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update max %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A plain store into a temporary: it may hold something else.
// CHECK-LABEL: func.func @store
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   [[N0:%[a-z0-9_]+]] = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT:   iteration_lattice.update [[N0]] into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @store(%x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %run = iteration_lattice.run %zero : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update %p into %s : f64, !loop.cell<f64>
  }
  func.return
}
