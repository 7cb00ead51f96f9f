// RUN: irtensor-opt %s --split-input-file -p skip-empty-strips | filecheck %s

// An iteration does something outside of the branch.
// CHECK-LABEL: func.func @other_work
// CHECK-NOT: arith.divsi
func.func @other_work(%flags: !loop.buffer<i1>, %out: !loop.buffer<index>, %a: index, %b: index) {
  loop.for %i = %a to %b {
    %flag = loop.load %flags[%i] : i1
    loop.store %a, %out[%i] : index
    loop.if %flag {
      loop.store %i, %out[%i] : index
    }
  }
  func.return
}

// -----

// Where there is no flag, something else is done.
// CHECK-LABEL: func.func @otherwise
// CHECK-NOT: arith.divsi
func.func @otherwise(%flags: !loop.buffer<i1>, %out: !loop.buffer<index>, %a: index, %b: index) {
  loop.for %i = %a to %b {
    %flag = loop.load %flags[%i] : i1
    loop.if %flag {
      loop.store %i, %out[%i] : index
    } else {
      loop.store %a, %out[%i] : index
    }
  }
  func.return
}

// -----

// The flags are not next to each other.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: arith.divsi
func.func @apart(%flags: !loop.buffer<i1>, %out: !loop.buffer<index>, %a: index, %b: index) {
  loop.for %i = %a to %b {
    %place = arith.muli %i, %b : index
    %flag = loop.load %flags[%place] : i1
    loop.if %flag {
      loop.store %i, %out[%i] : index
    }
  }
  func.return
}

// -----

// Iterations set flags.
// CHECK-LABEL: func.func @written
// CHECK-NOT: arith.divsi
func.func @written(%flags: !loop.buffer<i1>, %a: index, %b: index) {
  %true = arith.constant true
  loop.for %i = %a to %b {
    %flag = loop.load %flags[%i] : i1
    loop.if %flag {
      %next = arith.subi %b, %i : index
      loop.store %true, %flags[%next] : i1
    }
  }
  func.return
}
