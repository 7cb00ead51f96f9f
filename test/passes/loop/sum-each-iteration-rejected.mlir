// RUN: irtensor-opt %s --split-input-file -p sum-each-iteration | filecheck %s

// The order of the additions was asked for.
// CHECK-LABEL: func.func @in_order
// CHECK-COUNT-1: loop.cell
// CHECK-NOT:   loop.cell
// CHECK:       func.return
func.func @in_order(%x: !loop.buffer<f64>, %n: index, %m: index, %y: !loop.buffer<f64>, %pos: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %j = %c0 to %n {
    %row = arith.muli %j, %m : index
    loop.for %k = %c0 to %m {
      %at = arith.addi %row, %k : index
      %v = loop.load %x[%at] : f64
      %u = loop.get %t : f64
      %w = arith.addf %u, %v : f64
      loop.set %w, %t : f64
    }
  }
  %r = loop.get %t : f64
  loop.store %r, %y[%c0] : f64
  func.return
}

// -----

// Four iterations are unrolled.
// CHECK-LABEL: func.func @short
// CHECK-COUNT-1: loop.cell
// CHECK-NOT:   loop.cell
// CHECK:       func.return
func.func @short(%x: !loop.buffer<f64>, %n: index, %m: index, %y: !loop.buffer<f64>, %pos: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %j = %c0 to %few {
    %row = arith.muli %j, %m : index
    loop.for %k = %c0 to %m {
      %at = arith.addi %row, %k : index
      %v = loop.load %x[%at] : f64
      %u = loop.get %t : f64
      %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
      loop.set %w, %t : f64
    }
  }
  %r = loop.get %t : f64
  loop.store %r, %y[%c0] : f64
  func.return
}

// -----

// Four terms are one vector.
// CHECK-LABEL: func.func @short_inside
// CHECK-COUNT-1: loop.cell
// CHECK-NOT:   loop.cell
// CHECK:       func.return
func.func @short_inside(%x: !loop.buffer<f64>, %n: index, %m: index, %y: !loop.buffer<f64>, %pos: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %j = %c0 to %n {
    %row = arith.muli %j, %m : index
    loop.for %k = %c0 to %few {
      %at = arith.addi %row, %k : index
      %v = loop.load %x[%at] : f64
      %u = loop.get %t : f64
      %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
      loop.set %w, %t : f64
    }
  }
  %r = loop.get %t : f64
  loop.store %r, %y[%c0] : f64
  func.return
}

// -----

// Rows of entries may be short.
// CHECK-LABEL: func.func @entries
// CHECK-COUNT-1: loop.cell
// CHECK-NOT:   loop.cell
// CHECK:       func.return
func.func @entries(%x: !loop.buffer<f64>, %n: index, %m: index, %y: !loop.buffer<f64>, %pos: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %j = %c0 to %n {
    %next = arith.addi %j, %c1 : index
    %p = loop.load %pos[%j] : i64
    %begin = arith.index_cast %p : i64 to index
    %q = loop.load %pos[%next] : i64
    %end = arith.index_cast %q : i64 to index
    %row = arith.muli %j, %m : index
    loop.for %k = %begin to %end {
      %at = arith.addi %row, %k : index
      %v = loop.load %x[%at] : f64
      %u = loop.get %t : f64
      %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
      loop.set %w, %t : f64
    }
  }
  %r = loop.get %t : f64
  loop.store %r, %y[%c0] : f64
  func.return
}

// -----

// Each iteration has a sum of its own.
// CHECK-LABEL: func.func @own_sum
// CHECK-COUNT-1: loop.cell
// CHECK-NOT:   loop.cell
// CHECK:       func.return
func.func @own_sum(%x: !loop.buffer<f64>, %n: index, %m: index, %y: !loop.buffer<f64>, %pos: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  loop.for %j = %c0 to %n {
    %t = loop.cell %zero : f64
    %row = arith.muli %j, %m : index
    loop.for %k = %c0 to %m {
      %at = arith.addi %row, %k : index
      %v = loop.load %x[%at] : f64
      %u = loop.get %t : f64
      %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
      loop.set %w, %t : f64
    }
    %r = loop.get %t : f64
    loop.store %r, %y[%j] : f64
  }
  func.return
}

// -----

// Integers are added up in a cycle, which nothing waits for.
// CHECK-LABEL: func.func @integers
// CHECK-COUNT-1: loop.cell
// CHECK-NOT:   loop.cell
// CHECK:       func.return
func.func @integers(%x: !loop.buffer<i64>, %n: index, %m: index, %y: !loop.buffer<i64>, %pos: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %t = loop.cell %zero : i64
  loop.for %j = %c0 to %n {
    %row = arith.muli %j, %m : index
    loop.for %k = %c0 to %m {
      %at = arith.addi %row, %k : index
      %v = loop.load %x[%at] : i64
      %u = loop.get %t : i64
      %w = arith.addi %u, %v : i64
      loop.set %w, %t : i64
    }
  }
  %r = loop.get %t : i64
  loop.store %r, %y[%c0] : i64
  func.return
}
