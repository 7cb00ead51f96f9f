// RUN: irtensor-opt %s --split-input-file -p separate-common-range | filecheck %s

// All rows have the same range.
// CHECK-LABEL: func.func @same
// CHECK: loop.for %p = %begin to %end {
// CHECK-NOT: loop.for %p
func.func @same(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %begin to %end {
    %d = loop.load %crd[%p] : index
    %lo = arith.maxsi %0, %d : index
    %top = arith.addi %n, %d : index
    %hi = arith.minsi %n, %top : index
    %row = arith.muli %p, %n : index
    loop.for %i = %0 to %n {
      %pa = arith.addi %row, %i : index
      %v = loop.load %a[%pa] : f64
      %old = loop.load %y[%i] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}

// -----

// Each row has elements of its own.
// CHECK-LABEL: func.func @others
// CHECK: loop.for %p = %begin to %end {
// CHECK-NOT: loop.for %p
func.func @others(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %begin to %end {
    %d = loop.load %crd[%p] : index
    %lo = arith.maxsi %0, %d : index
    %top = arith.addi %n, %d : index
    %hi = arith.minsi %n, %top : index
    %row = arith.muli %p, %n : index
    loop.for %i = %lo to %hi {
      %pa = arith.addi %row, %i : index
      %v = loop.load %a[%pa] : f64
      %old = loop.load %y[%pa] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%pa] : f64
    }
  }
  func.return
}

// -----

// Nothing is summed.
// CHECK-LABEL: func.func @overwritten
// CHECK: loop.for %p = %begin to %end {
// CHECK-NOT: loop.for %p
func.func @overwritten(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %begin to %end {
    %d = loop.load %crd[%p] : index
    %lo = arith.maxsi %0, %d : index
    %top = arith.addi %n, %d : index
    %hi = arith.minsi %n, %top : index
    %row = arith.muli %p, %n : index
    loop.for %i = %lo to %hi {
      %pa = arith.addi %row, %i : index
      %v = loop.load %a[%pa] : f64
      
      %new = arith.addf %v, %v : f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}

// -----

// The loop does something else as well.
// CHECK-LABEL: func.func @two
// CHECK: loop.for %p = %begin to %end {
// CHECK-NOT: loop.for %p
func.func @two(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %begin to %end {
    %d = loop.load %crd[%p] : index
    %lo = arith.maxsi %0, %d : index
    %top = arith.addi %n, %d : index
    %hi = arith.minsi %n, %top : index
    %row = arith.muli %p, %n : index
    %v0 = arith.constant 0.0 : f64
    loop.store %v0, %a[%p] : f64
    loop.for %i = %lo to %hi {
      %pa = arith.addi %row, %i : index
      %v = loop.load %a[%pa] : f64
      %old = loop.load %y[%i] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}

// -----

// Vectors cannot do what a row does.
// CHECK-LABEL: func.func @lanes
// CHECK: loop.for %p = %begin to %end {
// CHECK-NOT: loop.for %p
func.func private @f(f64) -> f64

func.func @lanes(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %begin to %end {
    %d = loop.load %crd[%p] : index
    %lo = arith.maxsi %0, %d : index
    %top = arith.addi %n, %d : index
    %hi = arith.minsi %n, %top : index
    %row = arith.muli %p, %n : index
    loop.for %i = %lo to %hi {
      %pa = arith.addi %row, %i : index
      %v = loop.load %a[%pa] : f64
      %old = loop.load %y[%i] : f64
      %new = func.call @f(%old) : (f64) -> f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}

// -----

// Ranges that move on have nothing in common: blocks of a split loop.
// CHECK-LABEL: func.func @split
// CHECK: loop.for %p = %begin to %end {
// CHECK-NOT: loop.for %p
func.func @split(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %begin: index, %end: index) {
  %8 = arith.constant 8 : index
  loop.for %p = %begin to %end {
    %lo = arith.muli %p, %8 : index
    %top = arith.addi %lo, %8 : index
    %hi = arith.minsi %n, %top : index
    loop.for %i = %lo to %hi {
      %v = loop.load %a[%i] : f64
      %old = loop.load %y[%i] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}

// -----

// A row reads what another one has changed, through a view.
// CHECK-LABEL: func.func @view
// CHECK: loop.for %p = %begin to %end {
// CHECK-NOT: loop.for %p
func.func @view(%y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %w = loop.view %y[%0] : f64
  loop.for %p = %begin to %end {
    %d = loop.load %crd[%p] : index
    %lo = arith.maxsi %0, %d : index
    loop.for %i = %lo to %n {
      %v = loop.load %w[%lo] : f64
      %old = loop.load %y[%i] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%i] : f64
    }
  }
  func.return
}
