// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p simplify-loops | filecheck %s

// A value computed under a condition is not known outside.
// CHECK-LABEL: func.func @branches
// CHECK-NEXT: loop.if %c {
// CHECK-NEXT:   %a = arith.muli %i, %n : index
// CHECK-NEXT:   "test.op"(%a) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: %b = arith.muli %i, %n : index
// CHECK-NEXT: "test.op"(%b) : (index) -> ()
// CHECK-NEXT: func.return
func.func @branches(%i: index, %n: index, %c: i1) {
  loop.if %c {
    %a = arith.muli %i, %n : index
    "test.op"(%a) : (index) -> ()
  }
  %b = arith.muli %i, %n : index
  "test.op"(%b) : (index) -> ()
  func.return
}

// -----

// Two reads of memory may differ: something may have been stored between them.
// CHECK-LABEL: func.func @reads
// CHECK-NEXT: %a = loop.load %x[%i] : f64
// CHECK-NEXT: loop.store %v, %x[%i] : f64
// CHECK-NEXT: %b = loop.load %x[%i] : f64
// CHECK-NEXT: "test.op"(%a, %b) : (f64, f64) -> ()
// CHECK-NEXT: func.return
func.func @reads(%x: !loop.buffer<f64>, %i: index, %v: f64) {
  %a = loop.load %x[%i] : f64
  loop.store %v, %x[%i] : f64
  %b = loop.load %x[%i] : f64
  "test.op"(%a, %b) : (f64, f64) -> ()
  func.return
}

// -----

// x + 0 and x - x of floats are no index arithmetic.
// CHECK-LABEL: func.func @floats
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %a = arith.addf %x, %zero : f64
// CHECK-NEXT: %b = arith.subf %a, %a : f64
// CHECK-NEXT: "test.op"(%a, %b) : (f64, f64) -> ()
// CHECK-NEXT: func.return
func.func @floats(%x: f64) {
  %zero = arith.constant 0.0 : f64
  %a = arith.addf %x, %zero : f64
  %b = arith.subf %a, %a : f64
  "test.op"(%a, %b) : (f64, f64) -> ()
  func.return
}
