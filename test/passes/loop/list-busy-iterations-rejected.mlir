// RUN: irtensor-opt %s --split-input-file -p list-busy-iterations | filecheck %s

// The branch is not said to be taken rarely: to note it first would only cost.
// CHECK-LABEL: func.func @likely
// CHECK-NOT: math.cttz
func.func @likely(%crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %one = arith.constant 1 : index
  loop.for %p = %a to %b {
    %k = loop.load %crd[%p] : index
    %next = arith.addi %k, %one : index
    %begin = loop.load %pos[%k] : index
    %end = loop.load %pos[%next] : index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %stored {
      loop.for %q = %begin to %end {
        loop.store %q, %out[%p] : index
      }
    }
  }
  func.return
}

// -----

// An iteration does something outside of the guard.
// CHECK-LABEL: func.func @other_work
// CHECK-NOT: math.cttz
func.func @other_work(%crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %one = arith.constant 1 : index
  loop.for %p = %a to %b {
    %k = loop.load %crd[%p] : index
    %next = arith.addi %k, %one : index
    %begin = loop.load %pos[%k] : index
    %end = loop.load %pos[%next] : index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %stored attributes {unlikely} {
      loop.for %q = %begin to %end {
        loop.store %q, %out[%p] : index
      }
    }
    loop.store %p, %out[%k] : index
  }
  func.return
}

// -----

// There is work where the guard does not hold.
// CHECK-LABEL: func.func @otherwise
// CHECK-NOT: math.cttz
func.func @otherwise(%crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %one = arith.constant 1 : index
  loop.for %p = %a to %b {
    %k = loop.load %crd[%p] : index
    %next = arith.addi %k, %one : index
    %begin = loop.load %pos[%k] : index
    %end = loop.load %pos[%next] : index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %stored attributes {unlikely} {
      loop.for %q = %begin to %end {
        loop.store %q, %out[%p] : index
      }
    } else {
      loop.store %p, %out[%p] : index
    }
  }
  func.return
}

// -----

// What the guard reads is written to by iterations before.
// CHECK-LABEL: func.func @changing
// CHECK-NOT: math.cttz
func.func @changing(%crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %one = arith.constant 1 : index
  loop.for %p = %a to %b {
    %k = loop.load %crd[%p] : index
    %next = arith.addi %k, %one : index
    %begin = loop.load %out[%k] : index
    %end = loop.load %pos[%next] : index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %stored attributes {unlikely} {
      loop.for %q = %begin to %end {
        loop.store %q, %out[%p] : index
      }
    }
  }
  func.return
}

// -----

// The guard is the same in all iterations.
// CHECK-LABEL: func.func @same_in_all_iterations
// CHECK-NOT: math.cttz
func.func @same_in_all_iterations(%crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %one = arith.constant 1 : index
  %x = loop.load %pos[%a] : index
  %busy = arith.cmpi slt, %x, %b : index
  loop.for %p = %a to %b {
    %k = loop.load %crd[%p] : index
    %next = arith.addi %k, %one : index
    %begin = loop.load %pos[%k] : index
    %end = loop.load %pos[%next] : index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %busy attributes {unlikely} {
      loop.for %q = %begin to %end {
        loop.store %q, %out[%p] : index
      }
    }
  }
  func.return
}

// -----

// Hints are of this loop, not of two.
// CHECK-LABEL: func.func @hinted
// CHECK-NOT: math.cttz
func.func @hinted(%crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %one = arith.constant 1 : index
  loop.for %p = %a to %b attributes {unroll = 1 : i64} {
    %k = loop.load %crd[%p] : index
    %next = arith.addi %k, %one : index
    %begin = loop.load %pos[%k] : index
    %end = loop.load %pos[%next] : index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %stored attributes {unlikely} {
      loop.for %q = %begin to %end {
        loop.store %q, %out[%p] : index
      }
    }
  }
  func.return
}
