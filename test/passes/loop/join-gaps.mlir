// RUN: irtensor-opt %s --split-input-file -p join-gaps | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p join-gaps,fold-repetitions | filecheck %s --check-prefix=FOLDED

// The walk combines what is stored. Coordinates up to the last entry, less entries, are those of gaps.
// CHECK-LABEL: func.func @maximum
// CHECK:      %[[FIRST:.*]] = loop.get %q : index
// CHECK-NEXT: loop.for %p = %lo to %hi {
// CHECK-NOT:    loop.for
// CHECK-NOT:    loop.set {{.*}}, %q
// CHECK:      }
// CHECK-NEXT: %[[SOME:.*]] = arith.cmpi slt, %lo, %hi : index
// CHECK-NEXT: loop.if %[[SOME]] {
// CHECK:        %[[LAST:.*]] = arith.subi %hi, {{.*}} : index
// CHECK-NEXT:   %[[AT:.*]] = loop.load %crd[%[[LAST]]] : index
// CHECK-NEXT:   %[[END:.*]] = arith.addi %[[AT]], %one : index
// CHECK-NEXT:   loop.set %[[END]], %q : index
// CHECK-NEXT:   %[[ALL:.*]] = arith.subi %[[END]], %[[FIRST]] : index
// CHECK-NEXT:   %[[STORED:.*]] = arith.subi %hi, %lo : index
// CHECK-NEXT:   %[[GAPS:.*]] = arith.subi %[[ALL]], %[[STORED]] : index
// CHECK:        loop.for %j = {{.*}} to %[[GAPS]] {
// CHECK-NEXT:     loop.get %t
// CHECK-NEXT:     algebra.apply max({{.*}}, %v)
// FOLDED-LABEL: func.func @maximum
// FOLDED:     loop.for %p
// FOLDED-NOT: loop.for
// FOLDED:     func.return
func.func @maximum(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    loop.for %j = %start to %at {
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %a = loop.load %x[%p] : f64
    %old1 = loop.get %t : f64
    %new1 = algebra.apply max(%old1, %a) : (f64, f64) -> f64
    loop.set %new1, %t : f64
    loop.set %after, %q : index
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// A sum of integers takes a multiple after the walk; so does an element of an array.
// CHECK-LABEL: func.func @element
// CHECK:      loop.for %p = %lo to %hi {
// CHECK-NOT:    loop.for
// CHECK:      loop.if
// CHECK:        loop.for %j
// FOLDED-LABEL: func.func @element
// FOLDED:     loop.for %p
// FOLDED-NOT: loop.for
// FOLDED:     algebra.apply mul(%v, {{.*}}) : (i64, i64) -> i64
func.func @element(%crd: !loop.buffer<index>, %x: !loop.buffer<i64>, %y: !loop.buffer<i64>, %i: index, %lo: index, %hi: index, %v: i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %q = loop.cell %zero : index
  loop.for %p = %lo to %hi {
    %at = loop.load %crd[%p] : index
    %after = arith.addi %at, %one : index
    %start = loop.get %q : index
    loop.for %j = %start to %at {
      %old = loop.load %y[%i] : i64
      %new = algebra.apply add(%old, %v) : (i64, i64) -> i64
      loop.store %new, %y[%i] : i64
    }
    %a = loop.load %x[%p] : i64
    %old1 = loop.load %y[%i] : i64
    %new1 = algebra.apply add(%old1, %a) : (i64, i64) -> i64
    loop.store %new1, %y[%i] : i64
    loop.set %after, %q : index
  }
  func.return
}

// -----

// What is left behind the last entry is gone along with the gaps: all coordinates, less entries. The last is not read.
// CHECK-LABEL: func.func @row
// CHECK:      loop.if %some {
// CHECK-NEXT:   loop.for %p
// CHECK-NOT:      loop.for
// CHECK:      loop.set %behind, %c : index
// CHECK:      %[[STORED:.*]] = arith.subi %hi, %lo : index
// CHECK-NEXT: %[[ALL:.*]] = arith.subi %n, %first : index
// CHECK-NEXT: %[[GAPS:.*]] = arith.subi %[[ALL]], %[[STORED]] : index
// CHECK:      loop.for %j{{.*}} to %[[GAPS]] {
// CHECK-NOT:  loop.for
// FOLDED-LABEL: func.func @row
// FOLDED:     loop.for %p
// FOLDED-NOT: loop.for
// FOLDED:     func.return
func.func @row(%crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %lo: index, %hi: index, %n: index, %v: f64) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = loop.cell %v : f64
  %c = loop.cell %zero : index
  %first = loop.get %c : index
  %some = arith.cmpi slt, %lo, %hi : index
  %before = arith.subi %hi, %one : index
  %at1 = arith.select %some, %before, %zero : index
  %last = loop.load %crd[%at1] : index
  %after1 = arith.addi %last, %one : index
  %end = arith.select %some, %after1, %zero : index
  %any = arith.cmpi slt, %first, %end : index
  loop.if %any {
    %q = loop.cell %first : index
    loop.for %p = %lo to %hi {
      %at = loop.load %crd[%p] : index
      %after = arith.addi %at, %one : index
      %start = loop.get %q : index
      loop.for %j = %start to %at {
        %old = loop.get %t : f64
        %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
        loop.set %new, %t : f64
      }
      %a = loop.load %x[%p] : f64
      %old1 = loop.get %t : f64
      %new1 = algebra.apply max(%old1, %a) : (f64, f64) -> f64
      loop.set %new1, %t : f64
      loop.set %after, %q : index
    }
  }
  %behind = arith.maxsi %first, %end : index
  loop.set %behind, %c : index
  %rest = loop.get %c : index
  %left = arith.cmpi slt, %rest, %n : index
  loop.if %left {
    loop.for %j = %rest to %n {
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
  }
  %r = loop.get %t : f64
  func.return %r : f64
}
