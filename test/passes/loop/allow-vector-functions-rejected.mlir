// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p allow-vector-functions | filecheck %s

// The order of sums is kept, and with it each bit.
// CHECK-LABEL: func.func @strict
// CHECK: loop.for %i = %lo to %hi {
// CHECK: math.exp %v : f64
// CHECK-NOT: afn
// CHECK: func.return
func.func @strict(%x: !loop.buffer<f64>, %lo: index, %hi: index) attributes {algebra.keeps_order} {
  loop.for %i = %lo to %hi {
    %v = loop.load %x[%i] : f64
    %e = math.exp %v : f64
    loop.store %e, %x[%i] : f64
  }
  func.return
}

// -----

// LLVM makes no vectors of loops with branches, and none where a hint forbids them; and a function that is called there
// is the same one elsewhere.
// CHECK-LABEL: func.func @no_vectors
// CHECK: loop.for %i = %lo to %hi {
// CHECK: loop.for %j = %lo to %hi attributes {vectorize = 1 : i64} {
// CHECK: loop.for %k = %lo to %hi {
// CHECK-NOT: afn
// CHECK: func.return
func.func @no_vectors(%x: !loop.buffer<f64>, %lo: index, %hi: index, %c: i1) {
  loop.for %i = %lo to %hi {
    %v = loop.load %x[%i] : f64
    %e = math.exp %v : f64
    loop.if %c {
      loop.store %e, %x[%i] : f64
    }
  }
  loop.for %j = %lo to %hi attributes {vectorize = 1 : i64} {
    %v = loop.load %x[%j] : f64
    %e = math.exp %v : f64
    loop.store %e, %x[%j] : f64
  }
  loop.for %k = %lo to %hi {
    %v = loop.load %x[%k] : f64
    %e = math.exp %v : f64
    loop.store %e, %x[%k] : f64
  }
  func.return
}

// -----

// There are instructions for square roots and squares, also where they are written as powers; flags say all that may be
// done.
// CHECK-LABEL: func.func @instructions
// CHECK: loop.for %i = %lo to %hi {
// CHECK: math.exp %p fastmath<nnan> : f64
// CHECK-NOT: afn
// CHECK: func.return
func.func @instructions(%x: !loop.buffer<f64>, %lo: index, %hi: index) {
  %two = arith.constant 2.0 : f64
  loop.for %i = %lo to %hi {
    %v = loop.load %x[%i] : f64
    %r = math.sqrt %v : f64
    %p = math.powf %r, %two : f64
    %e = math.exp %p fastmath<nnan> : f64
    loop.store %e, %x[%i] : f64
  }
  func.return
}

// -----

// Complex functions are made of several real ones, whose errors would add up.
// CHECK-LABEL: func.func @complex
// CHECK: loop.for %i = %lo to %hi {
// CHECK: math.exp %r : f64
// CHECK-NOT: afn
// CHECK: func.return
func.func @complex(%x: !loop.buffer<complex<f64>>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    %v = loop.load %x[%i] : complex<f64>
    %r = complex.re %v : complex<f64>
    %e = math.exp %r : f64
    loop.store %e, %y[%i] : f64
  }
  func.return
}
