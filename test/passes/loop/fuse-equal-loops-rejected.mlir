// What stays two loops.
// RUN: irtensor-opt %s --split-input-file -p fuse-equal-loops | filecheck %s

// The ranges differ.
// CHECK-LABEL: func.func @other_ranges
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @other_ranges(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  loop.for %j = %0 to %m {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  func.return
}

// -----

// There is no sum to share: of other elements, by another operator, over another range.
// CHECK-LABEL: func.func @other_sums
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @other_sums(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %y[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  func.return
}

// -----

// CHECK-LABEL: func.func @other_operator
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @other_operator(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply max(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  func.return
}

// -----

// CHECK-LABEL: func.func @other_length
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @other_length(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %m {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  func.return
}

// -----

// The second loop reads what the first one writes, all of it.
// CHECK-LABEL: func.func @reads_what_is_written
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @reads_what_is_written(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    %turned = arith.subi %n, %j : index
    %v = loop.load %u[%turned] : f64
    %vs = algebra.apply mul(%v, %sum) : (f64, f64) -> f64
    loop.store %vs, %w[%j] : f64
  }
  func.return
}

// -----

// It needs what is computed between them from what the first one writes.
// CHECK-LABEL: func.func @reads_what_is_between
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @reads_what_is_between(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  %last = loop.load %u[%0] : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    %vs = algebra.apply mul(%last, %sum) : (f64, f64) -> f64
    loop.store %vs, %w[%j] : f64
  }
  func.return
}

// -----

// The elements that are added up are others the second time.
// CHECK-LABEL: func.func @changed_between
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @changed_between(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  loop.fill %zero, %x[%0 to %r] : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  func.return
}

// -----

// Both write the same memory.
// CHECK-LABEL: func.func @written_twice
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @written_twice(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  func.return
}

// -----

// One is for threads, and one is not.
// CHECK-LABEL: func.func @other_attributes
// CHECK: loop.for %j =
// CHECK: loop.for %k =
// CHECK: loop.for %j_1 =
// CHECK: loop.for %k_1 =
func.func @other_attributes(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n attributes {parallel = "automatic"} {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %u[%j] : f64
  }
  loop.for %j = %0 to %n {
    %s = loop.cell %zero : f64
    loop.for %k = %0 to %r {
      %xv = loop.load %x[%k] : f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %w[%j] : f64
  }
  func.return
}

// -----

// Functions of other elements; functions that take no longer than to read an element; elements that the first loop
// writes; and loops of other lengths.
// CHECK-LABEL: func.func @other_functions
// CHECK-COUNT-8: loop.for
func.func @other_functions(%v: !loop.buffer<f64>, %x: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    loop.store %e, %u[%p] : f64
  }
  loop.for %p = %0 to %m {
    %a = loop.load %x[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    loop.store %e, %w[%p] : f64
  }
  func.return
}

func.func @quick_functions(%v: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply abs(%a) : (f64) -> f64
    loop.store %e, %u[%p] : f64
  }
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply abs(%a) : (f64) -> f64
    loop.store %e, %w[%p] : f64
  }
  func.return
}

func.func @written(%v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    loop.store %e, %v[%p] : f64
  }
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    loop.store %e, %w[%p] : f64
  }
  func.return
}

func.func @other_lengths(%v: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    loop.store %e, %u[%p] : f64
  }
  loop.for %p = %0 to %n {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    loop.store %e, %w[%p] : f64
  }
  func.return
}
