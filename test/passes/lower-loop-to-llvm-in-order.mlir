// Vectors that are asked for: LLVM takes that as leave to reorder floats, so it is told of none where flags forbid it.
// RUN: irtensor-opt %s --split-input-file -p lower-loop-to-llvm | filecheck %s

// A sum that may be reassociated, and whole numbers.
// CHECK-LABEL: llvm.func @any_order
// CHECK: vectorize = <width = 8 : i64>
// CHECK: vectorize = <predicateEnable = true, width = 8 : i64>
func.func @any_order(%n: index, %x: !loop.buffer<f64>, %k: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant 0.0 : f64
  %none = arith.constant 0 : i64
  %t = loop.cell %start : f64
  %s = loop.cell %none : i64
  loop.for %i = %c0 to %n attributes {vectorize = 8 : i64} {
    %v = loop.load %x[%i] : f64
    %old = loop.get %t : f64
    %new = arith.addf %old, %v fastmath<reassoc> : f64
    loop.set %new, %t : f64
  }
  loop.for %i = %c0 to %n attributes {mask = 8 : i64} {
    %v = loop.load %k[%i] : i64
    %old = loop.get %s : i64
    %new = arith.addi %old, %v : i64
    loop.set %new, %s : i64
  }
  func.return
}

// -----

// A sum in a cell, with what else may be asked for; one that a condition guards; one in an element.
// CHECK-LABEL: llvm.func @in_order
// CHECK: loop_annotation<unroll = <count = 4 : i64>>
// CHECK-NOT: vectorize
// CHECK-NOT: interleave
// CHECK-NOT: mask
// CHECK: llvm.return
func.func @in_order(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %i = %c0 to %n attributes {vectorize = 8 : i64, unroll = 4 : i64} {
    %v = loop.load %x[%i] : f64
    %old = loop.get %t : f64
    %new = arith.addf %old, %v fastmath<contract> : f64
    loop.set %new, %t : f64
  }
  loop.for %i = %c0 to %n attributes {mask = 8 : i64} {
    %v = loop.load %x[%i] : f64
    %old = loop.get %t : f64
    %is = arith.cmpf ogt, %v, %zero : f64
    %sum = arith.addf %old, %v : f64
    %new = arith.select %is, %sum, %old : f64
    loop.set %new, %t : f64
  }
  loop.for %i = %c0 to %n attributes {vectorize = 2 : i64, interleave = 2 : i64} {
    %v = loop.load %x[%i] : f64
    %old = loop.load %y[%c0] : f64
    %new = arith.mulf %old, %v : f64
    loop.store %new, %y[%c0] : f64
  }
  func.return
}

// -----

// No order: elements of their own, a cell that is only read, the greatest number, a hint against vectors.
// CHECK-LABEL: llvm.func @no_order
// CHECK: vectorize = <width = 8 : i64>
// CHECK: vectorize = <width = 4 : i64>
// CHECK: vectorize = <disable = true>
func.func @no_order(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %start = arith.constant 0.0 : f64
  %t = loop.cell %start : f64
  loop.for %i = %c0 to %n attributes {vectorize = 8 : i64} {
    %v = loop.load %x[%i] : f64
    %factor = loop.get %t : f64
    %p = arith.mulf %v, %factor : f64
    %old = loop.load %y[%i] : f64
    %new = arith.addf %old, %p : f64
    loop.store %new, %y[%i] : f64
  }
  loop.for %i = %c0 to %n attributes {vectorize = 4 : i64} {
    %v = loop.load %x[%i] : f64
    %old = loop.get %t : f64
    %new = arith.maximumf %old, %v : f64
    loop.set %new, %t : f64
  }
  loop.for %i = %c0 to %n attributes {vectorize = 1 : i64} {
    %v = loop.load %x[%i] : f64
    %old = loop.get %t : f64
    %new = arith.addf %old, %v : f64
    loop.set %new, %t : f64
  }
  func.return
}
