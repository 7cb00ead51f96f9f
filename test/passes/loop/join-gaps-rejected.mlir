// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p join-gaps | filecheck %s

// A sum of floats, even one that may be reassociated.
// CHECK-LABEL: func.func @float_sum
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @float_sum(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %u = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : f64
    loop.for %j = %start to %at {
      %old = loop.get %t : f64
      %new = algebra.apply add(%old, %v) fastmath<reassoc> : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %old1 = loop.get %t : f64
    %new1 = algebra.apply add(%old1, %a) fastmath<reassoc> : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// A value that is another one at each coordinate.
// CHECK-LABEL: func.func @each_another
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @each_another(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %u = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : f64
    loop.for %j = %start to %at {
      %w = loop.load %y[%j] : f64
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %w) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %old1 = loop.get %t : f64
    %new1 = algebra.apply max(%old1, %a) : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// A value that is another one at each gap.
// CHECK-LABEL: func.func @each_gap_another
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @each_gap_another(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %u = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : f64
    loop.for %j = %start to %at {
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %a) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %old1 = loop.get %t : f64
    %new1 = algebra.apply max(%old1, %a) : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// An operator that takes the first value.
// CHECK-LABEL: func.func @ordered
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @ordered(%crd: !loop.buffer<index>, %x: !loop.buffer<i64>, %y: !loop.buffer<i64>, %lo: index, %hi: index, %v: i64) -> i64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : i64
  %u = loop.cell %v : i64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : i64
    loop.for %j = %start to %at {
      %old = loop.get %t : i64
      %new = algebra.apply first(%old, %v) : (i64, i64) -> i64
      loop.set %new, %t : i64
    }
    %old1 = loop.get %t : i64
    %new1 = algebra.apply first(%old1, %a) : (i64, i64) -> i64
    loop.set %new1, %t : i64
    loop.set %after, %q : index
  }
  %r = loop.get %t : i64
  func.return %r : i64
}

// -----

// The walk combines entries by another operator: the order counts.
// CHECK-LABEL: func.func @other_operator
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @other_operator(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %u = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : f64
    loop.for %j = %start to %at {
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %old1 = loop.get %t : f64
    %new1 = algebra.apply min(%old1, %a) : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// What is combined so far is stored at each entry.
// CHECK-LABEL: func.func @read_between
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @read_between(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %u = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : f64
    loop.for %j = %start to %at {
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %old1 = loop.get %t : f64
    %new1 = algebra.apply max(%old1, %a) : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.store %new1, %y[%p] : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// The next gap does not begin after the entry.
// CHECK-LABEL: func.func @other_step
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @other_step(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %u = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %at : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : f64
    loop.for %j = %start to %at {
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %old1 = loop.get %t : f64
    %new1 = algebra.apply max(%old1, %a) : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// A value that the walk sets.
// CHECK-LABEL: func.func @other_cell
// CHECK:      loop.for %p
// CHECK:        loop.for %j = %start to %at {
func.func @other_cell(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %u = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    %a = loop.load %x[%p] : f64
    loop.for %j = %start to %at {
      %w = loop.get %u : f64
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %w) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %old1 = loop.get %t : f64
    %new1 = algebra.apply max(%old1, %a) : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.set %a, %u : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}
