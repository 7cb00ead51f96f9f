// RUN: irtensor-opt %s --split-input-file -p join-alike-branches | filecheck %s

// Which array is read, and from where to where, is selected; what both have in common stays.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: loop.if
// CHECK: %[[LO:.*]] = arith.select %c, %a, %b : index
// CHECK: %[[SOURCE:.*]] = arith.select %c, %v, %w : !loop.buffer<f64>
// CHECK: loop.for %p = %[[LO]] to %n {
// CHECK:   %[[X:.*]] = loop.load %[[SOURCE]][%p] : f64
// CHECK:   loop.store %[[X]], %out[%p] : f64
func.func @copies(%c: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %b: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %x = loop.load %v[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  } else {
    loop.for %p = %b to %n {
      %x = loop.load %w[%p] : f64
      loop.store %x, %out[%p] : f64
    }
  }
  func.return
}

// -----

// Of three, two are selected from first.
// CHECK-LABEL: func.func @three
// CHECK-NOT: loop.if
// CHECK: %[[FIRST:.*]] = arith.select %d, %w, %x : !loop.buffer<f64>
// CHECK: %[[SOURCE:.*]] = arith.select %c, %v, %[[FIRST]] : !loop.buffer<f64>
// CHECK: loop.for
// CHECK:   loop.load %[[SOURCE]]
// CHECK-NOT: loop.for
func.func @three(%c: i1, %d: i1, %v: !loop.buffer<f64>, %w: !loop.buffer<f64>, %x: !loop.buffer<f64>, %out: !loop.buffer<f64>, %a: index, %n: index) {
  loop.if %c {
    loop.for %p = %a to %n {
      %y = loop.load %v[%p] : f64
      loop.store %y, %out[%p] : f64
    }
  } else {
    loop.if %d {
      loop.for %p = %a to %n {
        %y = loop.load %w[%p] : f64
        loop.store %y, %out[%p] : f64
      }
    } else {
      loop.for %p = %a to %n {
        %y = loop.load %x[%p] : f64
        loop.store %y, %out[%p] : f64
      }
    }
  }
  func.return
}
