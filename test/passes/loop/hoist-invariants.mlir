// RUN: irtensor-opt %s --split-input-file -p hoist-invariants | filecheck %s

// Each operation goes to the outermost place where its operands are known.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %a = arith.muli %n, %m : index
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %b = arith.muli %i, %n : index
// CHECK-NEXT:   loop.for %j = %lo to %hi {
// CHECK-NEXT:     %c = arith.addi %b, %j : index
// CHECK-NEXT:     "test.op"(%a, %c) : (index, index) -> ()
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @rows(%n: index, %m: index, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    loop.for %j = %lo to %hi {
      %a = arith.muli %n, %m : index
      %b = arith.muli %i, %n : index
      %c = arith.addi %b, %j : index
      "test.op"(%a, %c) : (index, index) -> ()
    }
  }
  func.return
}

// -----

// A load goes out only if it may be executed where the loop has no iteration.
// CHECK-LABEL: func.func @loads
// CHECK-NEXT: %x = loop.load %pos[%n] {speculatable} : index
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %y = loop.load %other[%n] : index
// CHECK-NEXT:   "test.op"(%x, %y) : (index, index) -> ()
func.func @loads(%pos: !loop.buffer<index>, %other: !loop.buffer<index>, %n: index, %lo: index, %hi: index) {
  loop.for %i = %lo to %hi {
    %x = loop.load %pos[%n] {speculatable} : index
    %y = loop.load %other[%n] : index
    "test.op"(%x, %y) : (index, index) -> ()
  }
  func.return
}

// -----

// A function of mathematics leaves a loop along a whole dimension, and stays in one along entries, which may be none.
// CHECK-LABEL: func.func @functions
// CHECK:      loop.for %p = %lo to %hi {
// CHECK-NEXT:   %y = math.exp %x : f64
// CHECK-NEXT:   loop.for %j = %c0 to %n {
// CHECK-NEXT:     "test.op"(%y) : (f64) -> ()
func.func @functions(%x: f64, %n: index, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  loop.for %p = %lo to %hi {
    loop.for %j = %c0 to %n {
      %y = math.exp %x : f64
      "test.op"(%y) : (f64) -> ()
    }
  }
  func.return
}

// -----

// Nor does it leave a branch.
// CHECK-LABEL: func.func @branches
// CHECK:      loop.for %j = %c0 to %n {
// CHECK-NEXT:   loop.if %c {
// CHECK-NEXT:     math.exp
func.func @branches(%x: f64, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  loop.for %j = %c0 to %n {
    loop.if %c {
      %y = math.exp %x : f64
      "test.op"(%y) : (f64) -> ()
    }
  }
  func.return
}
