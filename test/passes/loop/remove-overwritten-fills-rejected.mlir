// Fills that are read, or whose elements are not all stored.
// RUN: irtensor-opt %s -p remove-overwritten-fills | filecheck %s

// Elements of iterations for which a condition does not hold have the value of the fill.
// CHECK-LABEL: func.func @condition(
// CHECK: loop.fill
func.func @condition(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %n {
    loop.if %some {
      loop.store %v, %y[%i] : f64
    }
  }
  func.return
}

// What is stored begins with what was there.
// CHECK-LABEL: func.func @read_first(
// CHECK: loop.fill
func.func @read_first(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %n {
    %old = loop.load %y[%i] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%i] : f64
  }
  func.return
}

// So it is here.
// CHECK-LABEL: func.func @atomic(
// CHECK: loop.fill
func.func @atomic(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %n {
    loop.atomic %y[%i] (%old: f64) {
      %new = arith.addf %old, %v : f64
      loop.yield %new : f64
    }
  }
  func.return
}

// Something reads the elements before the loop.
// CHECK-LABEL: func.func @read_before(
// CHECK: loop.fill
func.func @read_before(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  %first = loop.load %y[%c0] : f64
  loop.store %first, %x[%c0] : f64
  loop.for %i = %c0 to %n {
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// The loop ends earlier, or the range begins earlier.
// CHECK-LABEL: func.func @shorter(
// CHECK: loop.fill
func.func @shorter(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %m {
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// The same at the other end.
// CHECK-LABEL: func.func @later(
// CHECK: loop.fill
func.func @later(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %m to %n {
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// Iterations store to elements that nobody knows.
// CHECK-LABEL: func.func @elsewhere(
// CHECK: loop.fill
func.func @elsewhere(%n: index, %v: f64, %y: !loop.buffer<f64>, %places: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %n {
    %p = loop.load %places[%i] : index
    loop.store %v, %y[%p] : f64
  }
  func.return
}

// Every other element is stored.
// CHECK-LABEL: func.func @every_other(
// CHECK: loop.fill
func.func @every_other(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %n {
    %j = arith.addi %i, %i : index
    loop.store %v, %y[%j] : f64
  }
  func.return
}

// An iteration reads the element of the next one.
// CHECK-LABEL: func.func @neighbour(
// CHECK: loop.fill
func.func @neighbour(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %n {
    loop.store %v, %y[%i] : f64
    %j = arith.addi %i, %c1 : index
    %next = loop.load %y[%j] : f64
    loop.store %next, %x[%i] : f64
  }
  func.return
}

// The row is read by a loop that ends somewhere else.
// CHECK-LABEL: func.func @reading_inside(
// CHECK: loop.fill
func.func @reading_inside(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %all = arith.muli %n, %m : index
  loop.fill %zero, %y[%c0 to %all] : f64
  loop.for %i = %c0 to %n {
    %row = arith.muli %i, %m : index
    loop.for %k = %c0 to %m {
      %place = arith.addi %row, %k : index
      loop.store %v, %y[%place] : f64
    }
    %other = arith.muli %i, %n : index
    loop.for %k = %c0 to %n {
      %place = arith.addi %row, %k : index
      %one = loop.load %y[%place] : f64
      %at = arith.addi %other, %k : index
      loop.store %one, %x[%at] : f64
    }
  }
  func.return
}

// Extents that are computed may be negative, and their product is not.
// CHECK-LABEL: func.func @negative(
// CHECK: loop.fill
func.func @negative(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %less = arith.subi %n, %c1 : index
  %all = arith.muli %less, %less : index
  loop.fill %zero, %y[%c0 to %all] : f64
  loop.for %i = %c0 to %less {
    %row = arith.muli %i, %less : index
    loop.for %k = %c0 to %less {
      %place = arith.addi %row, %k : index
      loop.store %v, %y[%place] : f64
    }
  }
  func.return
}

// The rows overlap, or leave something out.
// CHECK-LABEL: func.func @columns(
// CHECK: loop.fill
func.func @columns(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %all = arith.muli %n, %m : index
  loop.fill %zero, %y[%c0 to %all] : f64
  loop.for %i = %c0 to %n {
    %row = arith.muli %i, %n : index
    loop.for %k = %c0 to %m {
      %place = arith.addi %row, %k : index
      loop.store %v, %y[%place] : f64
    }
  }
  func.return
}

// The elements have another name, under which they may be read.
// CHECK-LABEL: func.func @other_name(
// CHECK: loop.fill
func.func @other_name(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  %own = loop.view %y[%c0] : f64
  %first = loop.load %own[%c0] : f64
  loop.store %first, %x[%c0] : f64
  loop.for %i = %c0 to %n {
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// Which memory is read is found while it runs.
// CHECK-LABEL: func.func @choice(
// CHECK: loop.fill
func.func @choice(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  %either = arith.select %some, %x, %y : !loop.buffer<f64>
  %first = loop.load %either[%c0] : f64
  loop.store %first, %x[%c0] : f64
  loop.for %i = %c0 to %n {
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// Which memory is filled is found while it runs.
// CHECK-LABEL: func.func @chosen(
// CHECK: loop.fill
func.func @chosen(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %either = arith.select %some, %x, %y : !loop.buffer<f64>
  loop.fill %zero, %either[%c0 to %n] : f64
  loop.for %i = %c0 to %n {
    loop.store %v, %either[%i] : f64
  }
  func.return
}

// Nothing stores them.
// CHECK-LABEL: func.func @last(
// CHECK: loop.fill
func.func @last(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  func.return
}

// Vectors are stored.
// CHECK-LABEL: func.func @wide(
// CHECK: loop.fill
func.func @wide(%n: index, %m: index, %v: f64, %some: i1, %y: !loop.buffer<f64>, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  %w = vector.broadcast %v : f64 to vector<4xf64>
  loop.for %i = %c0 to %n {
    loop.store %w, %y[%i] : vector<4xf64>
  }
  func.return
}
