// RUN: irtensor-opt %s --split-input-file -p sum-blocks-in-registers | filecheck %s

// The order of the sum is to be kept.
// CHECK-LABEL: func.func @order
// CHECK-NOT: vector
// CHECK: loop.for %j
// CHECK-NOT: vector
func.func @order(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %b: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %2 {
      %at = arith.addi %b, %i : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %first, %j : index
        %va = loop.load %a[%pa] : f64
        %old = loop.load %y[%at] : f64
        %new = arith.addf %old, %va : f64
        loop.store %new, %y[%at] : f64
      }
    }
  }
  func.return
}

// -----

// How long a row is, is not known.
// CHECK-LABEL: func.func @length
// CHECK-NOT: vector
// CHECK: loop.for %j
// CHECK-NOT: vector
func.func @length(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %b: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %2 {
      %at = arith.addi %b, %i : index
      loop.for %j = %0 to %n {
        %pa = arith.addi %first, %j : index
        %va = loop.load %a[%pa] : f64
        %old = loop.load %y[%at] : f64
        %new = arith.addf %old, %va fastmath<reassoc,contract> : f64
        loop.store %new, %y[%at] : f64
      }
    }
  }
  func.return
}

// -----

// Each block adds to elements of its own.
// CHECK-LABEL: func.func @other
// CHECK-NOT: vector
// CHECK: loop.for %j
// CHECK-NOT: vector
func.func @other(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %b: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %2 {
      %at = arith.addi %first, %i : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %first, %j : index
        %va = loop.load %a[%pa] : f64
        %old = loop.load %y[%at] : f64
        %new = arith.addf %old, %va fastmath<reassoc,contract> : f64
        loop.store %new, %y[%at] : f64
      }
    }
  }
  func.return
}

// -----

// What is subtracted is no sum of lanes.
// CHECK-LABEL: func.func @difference
// CHECK-NOT: vector
// CHECK: loop.for %j
// CHECK-NOT: vector
func.func @difference(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %b: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %2 {
      %at = arith.addi %b, %i : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %first, %j : index
        %va = loop.load %a[%pa] : f64
        %old = loop.load %y[%at] : f64
        %new = arith.subf %old, %va fastmath<reassoc,contract> : f64
        loop.store %new, %y[%at] : f64
      }
    }
  }
  func.return
}

// -----

// The loop over blocks reads what is summed.
// CHECK-LABEL: func.func @read
// CHECK-NOT: vector
// CHECK: loop.for %j
// CHECK-NOT: vector
func.func @read(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %b: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %2 {
      %at = arith.addi %b, %i : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %first, %j : index
        %va = loop.load %a[%pa] : f64
        %old = loop.load %y[%at] : f64
        %new = arith.addf %old, %va fastmath<reassoc,contract> : f64
        loop.store %new, %y[%at] : f64
      }
    }
    %s = loop.load %y[%p] : f64
    loop.store %s, %a[%p] : f64
  }
  func.return
}

// -----

// Lanes would all be the same number.
// CHECK-LABEL: func.func @same
// CHECK-NOT: vector
// CHECK: loop.for %j
// CHECK-NOT: vector
func.func @same(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %b: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %2 {
      %at = arith.addi %b, %i : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %first, %j : index
        %va = loop.load %a[%first] : f64
        %old = loop.load %y[%at] : f64
        %new = arith.addf %old, %va fastmath<reassoc,contract> : f64
        loop.store %new, %y[%at] : f64
      }
    }
  }
  func.return
}
