// RUN: irtensor-opt %s --split-input-file -p count-by-positions | filecheck %s

// A block that is cut, and one whose elements are not those of the segment.
// CHECK-LABEL: func.func @cut
// CHECK:     loop.for %j = %begin to %least
// CHECK:     loop.for %j_1 = %begin to %end
// CHECK-NEXT:  arith.addi %first, %j_1
func.func @cut(%crd: !loop.buffer<index>, %ofs: !loop.buffer<index>, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %q: index, %n: index) {
  %one = arith.constant 1 : index
  %after = arith.addi %q, %one : index
  %end = loop.load %crd[%q] : index
  %first = loop.load %ofs[%q] : index
  %past = loop.load %ofs[%after] : index
  %length = arith.subi %past, %first : index
  %begin = arith.subi %end, %length : index
  %start = arith.subi %past, %end : index
  %least = arith.minsi %end, %n : index
  loop.for %j = %begin to %least {
    %p = arith.addi %start, %j : index
    %v = loop.load %a[%p] : f64
    loop.store %v, %y[%j] : f64
  }
  loop.for %j = %begin to %end {
    %p = arith.addi %first, %j : index
    %v = loop.load %a[%p] : f64
    loop.store %v, %y[%j] : f64
  }
  func.return
}

// -----

// Offsets of blocks that do not follow each other.
// CHECK-LABEL: func.func @apart
// CHECK:     loop.for %j = %begin to %end
func.func @apart(%crd: !loop.buffer<index>, %ofs: !loop.buffer<index>, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %q: index, %r: index) {
  %end = loop.load %crd[%q] : index
  %first = loop.load %ofs[%q] : index
  %past = loop.load %ofs[%r] : index
  %length = arith.subi %past, %first : index
  %begin = arith.subi %end, %length : index
  %start = arith.subi %past, %end : index
  loop.for %j = %begin to %end {
    %p = arith.addi %start, %j : index
    %v = loop.load %a[%p] : f64
    loop.store %v, %y[%j] : f64
  }
  func.return
}

// -----

// Ends that the function stores may be others when they are read again.
// CHECK-LABEL: func.func @stored
// CHECK:     loop.for %j = %begin to %end
func.func @stored(%ofs: !loop.buffer<index>, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %q: index) {
  %one = arith.constant 1 : index
  %crd = loop.scratch : index
  %data = loop.data %crd : index
  %after = arith.addi %q, %one : index
  %end = loop.load %data[%q] : index
  loop.store %one, %data[%q] : index
  %same = loop.load %data[%q] : index
  %first = loop.load %ofs[%q] : index
  %past = loop.load %ofs[%after] : index
  %length = arith.subi %past, %first : index
  %begin = arith.subi %same, %length : index
  %start = arith.subi %past, %same : index
  loop.for %j = %begin to %end {
    %p = arith.addi %start, %j : index
    %v = loop.load %a[%p] : f64
    loop.store %v, %y[%j] : f64
  }
  func.return
}
