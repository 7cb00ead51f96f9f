// RUN: irtensor-opt %s --split-input-file -p batch-sums | filecheck %s

// The sums read what the iterations before have written.
// CHECK-LABEL: func.func @of_what_is_written
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @of_what_is_written(%x: !loop.buffer<f64>, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index,
    %m: index) {
  %0 = arith.constant 0 : index
  %few = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  loop.for %p = %0 to %m {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %y[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.for %d = %0 to %n {
      %at = arith.addi %j, %d : index
      %v = loop.load %x[%at] : f64
      %old = loop.load %y[%d] : f64
      %w = arith.mulf %sum, %v : f64
      %new = arith.addf %old, %w : f64
      loop.store %new, %y[%d] : f64
    }
  }
  func.return
}

// -----

// Each iteration adds to a row of its own, which would leave the registers anyway.
// CHECK-LABEL: func.func @other_rows
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @other_rows(%x: !loop.buffer<f64>, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index,
    %m: index) {
  %0 = arith.constant 0 : index
  %few = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  loop.for %p = %0 to %m {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.for %d = %0 to %n {
      %at = arith.addi %j, %d : index
      %v = loop.load %x[%at] : f64
      %old = loop.load %y[%at] : f64
      %w = arith.mulf %sum, %v : f64
      %new = arith.addf %old, %w : f64
      loop.store %new, %y[%at] : f64
    }
  }
  func.return
}

// -----

// There are no more iterations than are worth a loop.
// CHECK-LABEL: func.func @few_iterations
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @few_iterations(%x: !loop.buffer<f64>, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index,
    %m: index) {
  %0 = arith.constant 0 : index
  %few = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  loop.for %p = %0 to %few {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.for %d = %0 to %n {
      %at = arith.addi %j, %d : index
      %v = loop.load %x[%at] : f64
      %old = loop.load %y[%d] : f64
      %w = arith.mulf %sum, %v : f64
      %new = arith.addf %old, %w : f64
      loop.store %new, %y[%d] : f64
    }
  }
  func.return
}

// -----

// The iterations store something else beside the row.
// CHECK-LABEL: func.func @something_else
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @something_else(%x: !loop.buffer<f64>, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index,
    %m: index) {
  %0 = arith.constant 0 : index
  %few = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  loop.for %p = %0 to %m {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.for %d = %0 to %n {
      %at = arith.addi %j, %d : index
      %v = loop.load %x[%at] : f64
      %old = loop.load %y[%d] : f64
      %w = arith.mulf %sum, %v : f64
      %new = arith.addf %old, %w : f64
      loop.store %new, %y[%d] : f64
    }
    loop.store %sum, %z[%p] : f64
  }
  func.return
}

// -----

// A function of the sum is left to batch-functions.
// CHECK-LABEL: func.func @function
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @function(%x: !loop.buffer<f64>, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index,
    %m: index) {
  %0 = arith.constant 0 : index
  %few = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  loop.for %p = %0 to %m {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %e = math.exp %sum : f64
    loop.for %d = %0 to %n {
      %at = arith.addi %j, %d : index
      %v = loop.load %x[%at] : f64
      %old = loop.load %y[%d] : f64
      %w = arith.mulf %sum, %v : f64
      %new = arith.addf %old, %w : f64
      loop.store %new, %y[%d] : f64
    }
  }
  func.return
}

// -----

// Each iteration changes a number of its own: none waits for another.
// CHECK-LABEL: func.func @numbers_of_their_own
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @numbers_of_their_own(%x: !loop.buffer<f64>, %pos: !loop.buffer<i64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %few = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  loop.for %j = %0 to %m {
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %old = loop.load %y[%j] : f64
    %new = arith.minimumf %old, %sum : f64
    loop.store %new, %y[%j] : f64
  }
  func.return
}

// -----

// Rows of entries may be short.
// CHECK-LABEL: func.func @short_rows
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @short_rows(%x: !loop.buffer<f64>, %pos: !loop.buffer<i64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %few = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  loop.for %j = %0 to %m {
    %next = arith.addi %j, %one : index
    %p = loop.load %pos[%j] : i64
    %begin = arith.index_cast %p : i64 to index
    %q = loop.load %pos[%next] : i64
    %end = arith.index_cast %q : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %begin to %end {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %old = loop.load %y[%n] : f64
    %new = arith.minimumf %old, %sum : f64
    loop.store %new, %y[%n] : f64
  }
  func.return
}

// -----

// Eight sums are too few.
// CHECK-LABEL: func.func @one_vector
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @one_vector(%x: !loop.buffer<f64>, %pos: !loop.buffer<i64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %few = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  loop.for %j = %0 to %few {
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %old = loop.load %y[%n] : f64
    %new = arith.minimumf %old, %sum : f64
    loop.store %new, %y[%n] : f64
  }
  func.return
}

// -----

// The number is not what it was combined with something.
// CHECK-LABEL: func.func @last_one
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @last_one(%x: !loop.buffer<f64>, %pos: !loop.buffer<i64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %few = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  loop.for %j = %0 to %m {
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %new = arith.negf %sum : f64
    loop.store %new, %y[%n] : f64
  }
  func.return
}
