// RUN: irtensor-opt %s -p count-by-positions | filecheck %s

// The loop over a block of coordinates becomes a loop over the segment of its elements.
// CHECK-LABEL: func.func @block
// CHECK:     %[[SHIFT:.*]] = arith.subi %end, %past : index
// CHECK:     loop.for %p = %first to %past {
// CHECK-NEXT:  %j = arith.addi %p, %[[SHIFT]] : index
// CHECK-NEXT:  %{{.*}} = loop.load %a[%p] : f64
// CHECK-NEXT:  %{{.*}} = loop.load %x[%j] : f64
func.func @block(%crd: !loop.buffer<i32>, %ofs: !loop.buffer<i32>, %a: !loop.buffer<f64>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %q: index) {
  %one = arith.constant 1 : index
  %after = arith.addi %q, %one : index
  %c = loop.load %crd[%q] : i32
  %end = arith.index_cast %c : i32 to index
  %again = loop.load %crd[%q] : i32
  %same = arith.index_cast %again : i32 to index
  %b = loop.load %ofs[%q] : i32
  %first = arith.index_cast %b : i32 to index
  %e = loop.load %ofs[%after] : i32
  %past = arith.index_cast %e : i32 to index
  %length = arith.subi %past, %first : index
  %begin = arith.subi %same, %length : index
  %start = arith.subi %past, %same : index
  loop.for %j = %begin to %end {
    %n = arith.addi %start, %j : index
    %v = loop.load %a[%n] : f64
    %w = loop.load %x[%j] : f64
    %m = arith.mulf %v, %w : f64
    loop.store %m, %y[%j] : f64
  }
  func.return
}
