// RUN: irtensor-opt %s --split-input-file -p carry-elements | filecheck %s

// The array changes meanwhile.
// CHECK-LABEL: func.func @written
// CHECK-NOT: loop.cell
// CHECK: func.return
func.func @written(%pos: !loop.buffer<index>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.for %i = %zero to %n {
    %begin = loop.load %pos[%i] : index
    %l = arith.addi %i, %one : index
    %end = loop.load %pos[%l] : index
    loop.for %p = %begin to %end {
      loop.store %n, %pos[%p] : index
    }
  }
  func.return
}

// -----

// The next row is another one.
// CHECK-LABEL: func.func @listed
// CHECK-NOT: loop.cell
// CHECK: func.return
func.func @listed(%pos: !loop.buffer<index>, %list: !loop.buffer<index>, %y: !loop.buffer<index>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.for %q = %zero to %n {
    %i = loop.load %list[%q] : index
    %begin = loop.load %pos[%i] : index
    %l = arith.addi %i, %one : index
    %end = loop.load %pos[%l] : index
    loop.for %p = %begin to %end {
      loop.store %n, %y[%p] : index
    }
  }
  func.return
}

// -----

// LLVM makes vectors of a loop with nothing inside. The end is read under a condition, so not in each iteration.
// CHECK-LABEL: func.func @others
// CHECK-NOT: loop.cell
// CHECK: func.return
func.func @others(%pos: !loop.buffer<index>, %y: !loop.buffer<index>, %holds: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.for %i = %zero to %n {
    %begin = loop.load %pos[%i] : index
    %l = arith.addi %i, %one : index
    %end = loop.load %pos[%l] : index
    %length = arith.subi %end, %begin : index
    loop.store %length, %y[%i] : index
  }
  loop.for %i = %zero to %n {
    %begin = loop.load %pos[%i] : index
    loop.if %holds {
      %l = arith.addi %i, %one : index
      %end = loop.load %pos[%l] : index
      loop.store %end, %y[%begin] : index
    }
  }
  func.return
}
