// RUN: irtensor-opt %s --split-input-file -p split-off-functions | filecheck %s

// Roots are computed by instructions.
// CHECK-LABEL: func.func @roots
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @roots(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply sqrt(%s) : (f64) -> f64
    loop.store %e, %y[%j] : f64
  }
  func.return
}

// -----

// Complex functions have no vectors.
// CHECK-LABEL: func.func @of_complex
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @of_complex(%x: !loop.buffer<complex<f64>>, %y: !loop.buffer<complex<f64>>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant [0.0 : f64, 0.0 : f64]
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : complex<f64>
    %u = loop.cell %zero : complex<f64>
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : complex<f64>
      loop.set %v, %t : complex<f64>
    }
    %s = loop.get %t : complex<f64>
    %e = algebra.apply exp(%s) : (complex<f64>) -> complex<f64>
    loop.store %e, %y[%j] : complex<f64>
  }
  func.return
}

// -----

// Without a loop inside, the loop becomes vectors as it is.
// CHECK-LABEL: func.func @plain
// CHECK-COUNT-1: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @plain(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    %v = loop.load %x[%j] : f64
    loop.set %v, %t : f64
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    loop.store %e, %y[%j] : f64
  }
  func.return
}

// -----

// Sums that keep their order call the function for each number.
// CHECK-LABEL: func.func @in_order
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @in_order(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) attributes {algebra.keeps_order} {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    loop.store %e, %y[%j] : f64
  }
  func.return
}

// -----

// The row has elements of another type.
// CHECK-LABEL: func.func @types
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @types(%x: !loop.buffer<f64>, %y: !loop.buffer<f32>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    %c = algebra.cast %e : f64 to f32
    loop.store %c, %y[%j] : f32
  }
  func.return
}

// -----

// All iterations store to one element.
// CHECK-LABEL: func.func @one_element
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @one_element(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    loop.store %e, %y[%n] : f64
  }
  func.return
}

// -----

// The row is read as well.
// CHECK-LABEL: func.func @old_values
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @old_values(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    %was = loop.load %y[%j] : f64
    %a = algebra.apply add(%e, %was) : (f64, f64) -> f64
    loop.store %a, %y[%j] : f64
  }
  func.return
}

// -----

// The row is read in the loop inside.
// CHECK-LABEL: func.func @inside
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @inside(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
      %w = loop.load %y[%k] : f64
      loop.set %w, %u : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    loop.store %e, %y[%j] : f64
  }
  func.return
}

// -----

// One element would have to keep two sums.
// CHECK-LABEL: func.func @two_sums
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @two_sums(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
      loop.set %v, %u : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    %s2 = loop.get %u : f64
    %a = algebra.apply mul(%e, %s2) : (f64, f64) -> f64
    loop.store %a, %y[%j] : f64
  }
  func.return
}

// -----

// The cell is set again.
// CHECK-LABEL: func.func @set_again
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @set_again(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %s = loop.get %t : f64
    loop.set %s, %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    loop.store %e, %y[%j] : f64
  }
  func.return
}

// -----

// Marks of other passes say what the loop is.
// CHECK-LABEL: func.func @marked
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @marked(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %j = %0 to %n attributes {vectorize = 0 : i64} {
    %t = loop.cell %zero : f64
    %u = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %s = loop.get %t : f64
    %e = algebra.apply exp(%s) : (f64) -> f64
    loop.store %e, %y[%j] : f64
  }
  func.return
}

// -----

// The growable is read by another name, in the same loop.
// CHECK-LABEL: func.func @by_two_names
// CHECK-COUNT-2: loop.for
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @by_two_names(%x: !loop.buffer<f64>, %y: !loop.growable<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %data = loop.data %y : f64
  %again = loop.data %y : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %again[%k] : f64
      loop.set %v, %t : f64
    }
    %sum = loop.get %t : f64
    %e = algebra.apply exp(%sum) : (f64) -> f64
    loop.store %e, %data[%j] : f64
  }
  func.return
}
