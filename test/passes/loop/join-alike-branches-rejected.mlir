// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p join-alike-branches | filecheck %s

// The value of one array is negated, that of the other doubled.
// CHECK-LABEL: func.func @other_operation
// CHECK: loop.if
func.func @other_operation(%c: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      %y = arith.negf %x : f64
      loop.store %y, %out[%p] : f64
    }
  } else {
    loop.for %p = %a to %n {
      %x = loop.load %w[%p] : f64
      %y = arith.addf %x, %x : f64
      loop.store %y, %out[%p] : f64
    }
  }
  func.return
}

// -----

// Different arrays are written to.
// CHECK-LABEL: func.func @other_result
// CHECK: loop.if
func.func @other_result(%c: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  } else {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      loop.store %x, %w[%p] : f64
    }
  }
  func.return
}

// -----

// The values are used in another order.
// CHECK-LABEL: func.func @other_order
// CHECK: loop.if
func.func @other_order(%c: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      %y = loop.load %out[%p] : f64
      %z = arith.subf %x, %y : f64
      loop.store %z, %out[%p] : f64
    }
  } else {
    loop.for %p = %a to %n {
      %x = loop.load %w[%p] : f64
      %y = loop.load %out[%p] : f64
      %z = arith.subf %y, %x : f64
      loop.store %z, %out[%p] : f64
    }
  }
  func.return
}

// -----

// A loop with a known number of iterations stays one.
// CHECK-LABEL: func.func @known_number
// CHECK: loop.if
func.func @known_number(%c: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %out: !loop.buffer<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  loop.if %c {
    loop.for %p = %zero to %four {
      %x = loop.load %v[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  } else {
    loop.for %p = %zero to %n {
      %x = loop.load %w[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  }
  func.return
}

// -----

// Without an array to tell apart there is nothing to gain.
// CHECK-LABEL: func.func @other_range
// CHECK: loop.if
func.func @other_range(%c: i1, %v: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %b: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  } else {
    loop.for %p = %b to %n {
      %x = loop.load %v[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  }
  func.return
}

// -----

// A cell is no value.
// CHECK-LABEL: func.func @cells
// CHECK: loop.if
func.func @cells(%c: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %a: index, %n: index) {
  %zero = algebra.constant 0.0 : f64
  %s = loop.cell %zero : f64
  %t = loop.cell %zero : f64
  loop.if %c {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      loop.set %x, %s : f64
    }
  } else {
    loop.for %p = %a to %n {
      %x = loop.load %w[%p] : f64
      loop.set %x, %t : f64
    }
  }
  func.return
}

// -----

// There is nothing else to do.
// CHECK-LABEL: func.func @no_else
// CHECK: loop.if
func.func @no_else(%c: i1, %v: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  }
  func.return
}

// -----

// One reads at a place from outside, the other at its own.
// CHECK-LABEL: func.func @places
// CHECK: loop.if
// CHECK: } else {
func.func @places(%c: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %y = loop.load %v[%n] : f64
      loop.store %y, %out[%p] : f64
    }
  } else {
    loop.for %p = %a to %n {
      %y = loop.load %w[%p] : f64
      loop.store %y, %out[%p] : f64
    }
  }
  func.return
}
