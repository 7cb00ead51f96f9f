// RUN: irtensor-opt %s --split-input-file -p simplify-loops | filecheck %s

// Index arithmetic with neutral elements, and a step forwards and back.
// CHECK-LABEL: func.func @arithmetic
// CHECK-NEXT: "test.op"(%i) : (index) -> ()
// CHECK-NEXT: func.return
func.func @arithmetic(%i: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = arith.muli %zero, %n : index
  %b = arith.addi %a, %i : index
  %c = arith.addi %b, %one : index
  %d = arith.subi %c, %one : index
  %e = arith.muli %d, %one : index
  "test.op"(%e) : (index) -> ()
  func.return
}

// -----

// Equal computations are one, also across loops inside; constants go to the top.
// CHECK-LABEL: func.func @common
// CHECK-NEXT: %seven = arith.constant 7 : index
// CHECK-NEXT: %a = arith.muli %i, %n : index
// CHECK-NEXT: loop.for %j = %lo to %hi {
// CHECK-NEXT:   "test.op"(%a, %seven) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: "test.op"(%a) : (index) -> ()
// CHECK-NEXT: func.return
func.func @common(%i: index, %n: index, %lo: index, %hi: index) {
  %a = arith.muli %i, %n : index
  loop.for %j = %lo to %hi {
    %b = arith.muli %i, %n : index
    %seven = arith.constant 7 : index
    "test.op"(%b, %seven) : (index, index) -> ()
  }
  "test.op"(%a) : (index) -> ()
  func.return
}

// -----

// A cell that is never set is its initial value; one that is never read disappears with what sets it.
// CHECK-LABEL: func.func @cells
// CHECK-NEXT: "test.op"(%v) : (f64) -> ()
// CHECK-NEXT: func.return
func.func @cells(%v: f64, %w: f64) {
  %constant = loop.cell %v : f64
  %a = loop.get %constant : f64
  %unread = loop.cell %v : f64
  loop.set %w, %unread : f64
  "test.op"(%a) : (f64) -> ()
  func.return
}

// -----

// A loop over one index is its body.
// CHECK-LABEL: func.func @single
// CHECK-NEXT: %v = loop.load %x[%p] : f64
// CHECK-NEXT: "test.op"(%v) : (f64) -> ()
// CHECK-NEXT: func.return
func.func @single(%p: index, %x: !loop.buffer<f64>) {
  %one = arith.constant 1 : index
  %after = arith.addi %p, %one : index
  loop.for %q = %p to %after {
    %v = loop.load %x[%q] : f64
    "test.op"(%v) : (f64) -> ()
  }
  func.return
}

// -----

// Reads whose outcome nobody uses, and loops and branches without a body.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: loop.index_map
// CHECK-NEXT: func.return
func.func @dead(%x: !loop.buffer<f64>, %lo: index, %hi: index, %c: i1) {
  %map = loop.index_map
  loop.for %i = %lo to %hi {
    %slot, %present = loop.map_find %lo, %i in %map
    %v = loop.load %x[%i] : f64
    loop.if %c {
      %w = algebra.apply neg(%v) : (f64) -> f64
    }
  }
  func.return
}

// -----

// A branch whose sides are the same is one of them, also where a branch inside was one.
// CHECK-LABEL: func.func @alike
// CHECK-NEXT: loop.store %v, %x[%i] : f64
// CHECK-NEXT: loop.if %c {
// CHECK-NEXT:   loop.store %v, %x[%i] : f64
// CHECK-NEXT: } else {
// CHECK-NEXT:   loop.store %v, %x[%j] : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @alike(%x: !loop.buffer<f64>, %v: f64, %i: index, %j: index, %c: i1, %d: i1) {
  loop.if %c {
    loop.store %v, %x[%i] : f64
  } else {
    loop.if %d {
      loop.store %v, %x[%i] : f64
    } else {
      loop.store %v, %x[%i] : f64
    }
  }
  loop.if %c {
    loop.store %v, %x[%i] : f64
  } else {
    loop.store %v, %x[%j] : f64
  }
  func.return
}
