// RUN: irtensor-opt %s --split-input-file -p unspread-loops --verify-diagnostics | filecheck %s

// A parallel loop without units is one for the threads of a CPU.
// CHECK-LABEL: func.func @others
// CHECK: loop.parallel %i = %c0 to %n {
// CHECK-NEXT: loop.scratch : f64
// CHECK: loop.atomic
func.func @others(%n: index, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  loop.parallel %i = %c0 to %n {
    %g = loop.scratch : f64
    loop.atomic %x[%c0] (%old: f64) {
      loop.yield %old : f64
    }
  }
  func.return
}

// -----

func.func @sets(%n: index) {
  loop.parallel %b = %n to %n on blocks(32) {
    // expected-error @+1 {{each iteration has its own 'loop.index_set', which a plain loop cannot have}}
    %s = loop.index_set %n
  }
  func.return
}
