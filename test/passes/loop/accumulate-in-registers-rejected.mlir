// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p accumulate-in-registers | filecheck %s

// The updated row depends on the reduction loop: nothing stays in place while it runs.
// CHECK-LABEL: func.func @scatter
// CHECK-NOT: vector
func.func @scatter(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %lo: index, %hi: index) {
  loop.for %p = %lo to %hi {
    %i = loop.load %crd[%p] : index
    %row = arith.muli %i, %n : index
    loop.for %j = %lo to %n {
      %at = arith.addi %row, %j : index
      %v = loop.load %x[%j] : f64
      %old = loop.load %y[%at] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%at] : f64
    }
  }
  func.return
}

// -----

// A single pass over a row gains nothing.
// CHECK-LABEL: func.func @single
// CHECK-NOT: vector
func.func @single(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %j = %lo to %hi {
    %v = loop.load %x[%j] : f64
    %old = loop.load %y[%j] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%j] : f64
  }
  func.return
}

// -----

// A comparison gives one answer: there is none that compares vectors.
// CHECK-LABEL: func.func @comparison
// CHECK-NOT: vector
func.func @comparison(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %y: !loop.buffer<i1>, %n: index, %lo: index, %hi: index) {
  loop.for %p = %lo to %hi {
    %x = loop.load %a[%p] : f64
    loop.for %j = %lo to %n {
      %v = loop.load %b[%j] : f64
      %less = arith.cmpf olt, %x, %v : f64
      %old = loop.load %y[%j] : i1
      %new = arith.ori %old, %less : i1
      loop.store %new, %y[%j] : i1
    }
  }
  func.return
}

// -----

// What the row is multiplied by takes a loop of its own, which each strip would run again.
// CHECK-LABEL: func.func @computed_factor
// CHECK-NOT: vector
func.func @computed_factor(%x: !loop.buffer<f64>, %b: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %lo: index, %hi: index) {
  %zero = arith.constant 0.0 : f64
  loop.for %p = %lo to %hi {
    %sum = loop.cell %zero : f64
    loop.for %k = %lo to %n {
      %v = loop.load %x[%k] : f64
      %old = loop.get %sum : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %sum : f64
    }
    %factor = loop.get %sum : f64
    loop.for %j = %lo to %n {
      %v = loop.load %b[%j] : f64
      %product = arith.mulf %factor, %v : f64
      %old = loop.load %y[%j] : f64
      %new = arith.addf %old, %product : f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}

// -----

// A vector of values would be computed by a call for each of its lanes.
// CHECK-LABEL: func.func @function
// CHECK-NOT: vector
func.func @function(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %lo: index, %hi: index) {
  %zero = arith.constant 0 : index
  loop.for %p = %lo to %hi {
    %x = loop.load %a[%p] : f64
    %row = arith.muli %p, %n : index
    loop.for %j = %zero to %n {
      %from = arith.addi %row, %j : index
      %v = loop.load %b[%from] : f64
      %e = math.exp %v : f64
      %z = arith.mulf %x, %e : f64
      %old = loop.load %y[%j] : f64
      %new = arith.addf %old, %z : f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}

// -----

// What is read is a view of what is updated.
// CHECK-LABEL: func.func @view_of_the_row
// CHECK-NOT: vector
func.func @view_of_the_row(%y: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %w = loop.view %y[%1] : f64
  loop.for %p = %0 to %m {
    loop.for %i = %0 to %n {
      %v = loop.load %w[%i] : f64
      %old = loop.load %y[%i] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}
