// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p hoist-invariants | filecheck %s

// A division could trap although its loop never runs; a read could find something else, or nothing.
// CHECK-LABEL: func.func @traps
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %a = arith.divsi %n, %m : index
// CHECK-NEXT:   %v = loop.load %x[%n] : f64
// CHECK-NEXT:   "test.op"(%a, %v) : (index, f64) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @traps(%n: index, %m: index, %x: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    %a = arith.divsi %n, %m : index
    %v = loop.load %x[%n] : f64
    "test.op"(%a, %v) : (index, f64) -> ()
  }
  func.return
}
