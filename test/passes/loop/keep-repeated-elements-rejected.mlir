// RUN: irtensor-opt %s -p keep-repeated-elements | filecheck %s

// Coordinates that do not repeat: another element is next each time.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: loop.cell
// CHECK: loop.store %new, %y[%place]
func.func @columns(%rows: !loop.buffer<index> {loop.repeats}, %columns: !loop.buffer<index>, %A_vals: !loop.buffer<f64>, %y: !loop.buffer<f64> {loop.extents = array<i64: 4>}, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %i = loop.load %columns[%p] : index
    %j = loop.load %columns[%p] : index
    %place = arith.addi %i, %begin : index
    %v = loop.load %A_vals[%j] : f64
    %old = loop.load %y[%place] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%place] : f64
  }
  func.return
}

// Of two coordinates one does not repeat.
// CHECK-LABEL: func.func @some
// CHECK-NOT: loop.cell
// CHECK: loop.store %new, %y[%place]
func.func @some(%rows: !loop.buffer<index> {loop.repeats}, %columns: !loop.buffer<index>, %A_vals: !loop.buffer<f64>, %y: !loop.buffer<f64> {loop.extents = array<i64: 4>}, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %i = loop.load %rows[%p] : index
    %j = loop.load %columns[%p] : index
    %place = arith.addi %i, %j : index
    %v = loop.load %A_vals[%j] : f64
    %old = loop.load %y[%place] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%place] : f64
  }
  func.return
}

// Other elements of the result are read.
// CHECK-LABEL: func.func @read
// CHECK-NOT: loop.cell
// CHECK: loop.store %new, %y[%place]
func.func @read(%rows: !loop.buffer<index> {loop.repeats}, %columns: !loop.buffer<index>, %A_vals: !loop.buffer<f64>, %y: !loop.buffer<f64> {loop.extents = array<i64: 4>}, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %i = loop.load %rows[%p] : index
    %j = loop.load %columns[%p] : index
    %place = arith.addi %i, %begin : index
    %v = loop.load %y[%j] : f64
    %old = loop.load %y[%place] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%place] : f64
  }
  func.return
}

// What is stored is computed from another element.
// CHECK-LABEL: func.func @elsewhere
// CHECK-NOT: loop.cell
// CHECK: loop.store %new, %y[%place]
func.func @elsewhere(%rows: !loop.buffer<index> {loop.repeats}, %columns: !loop.buffer<index>, %A_vals: !loop.buffer<f64>, %y: !loop.buffer<f64> {loop.extents = array<i64: 4>}, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %i = loop.load %rows[%p] : index
    %j = loop.load %columns[%p] : index
    %place = arith.addi %i, %begin : index
    %v = loop.load %A_vals[%j] : f64
    %old = loop.load %y[%i] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%place] : f64
  }
  func.return
}

// How many elements there are is not known, and so not how often each is updated.
// CHECK-LABEL: func.func @of_unknown_size
// CHECK-NOT: loop.cell
// CHECK: loop.store %new, %y[%i]
func.func @of_unknown_size(%rows: !loop.buffer<index> {loop.repeats}, %A_vals: !loop.buffer<f64>, %y: !loop.buffer<f64>, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %i = loop.load %rows[%p] : index
    %v = loop.load %A_vals[%p] : f64
    %old = loop.load %y[%i] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%i] : f64
  }
  func.return
}
