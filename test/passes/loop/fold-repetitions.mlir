// RUN: irtensor-opt %s --split-input-file -p fold-repetitions | filecheck %s

// The maximum takes a value once, in however many loops that is, and where they run at all.
// CHECK-LABEL: func.func @maximum
// CHECK:      loop.if
// CHECK-NEXT:   arith.cmpi slt, %lo, %m : index
// CHECK-NEXT:   loop.if
// CHECK-NEXT:     %old = loop.get %t : f64
// CHECK-NEXT:     %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
// CHECK-NEXT:     loop.set %new, %t : f64
// CHECK-NOT:  loop.for
func.func @maximum(%lo: index, %n: index, %m: index, %v: f64) -> f64 {
  %t = loop.cell %v : f64
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %m {
      %old = loop.get %t : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
  }
  %r = loop.get %t : f64
  func.return %r : f64
}

// -----

// A sum takes a multiple, where it may be reassociated.
// CHECK-LABEL: func.func @sum
// CHECK:      loop.if
// CHECK-NEXT:   %[[DIFFERENCE:.*]] = arith.subi %n, %lo : index
// CHECK-NEXT:   %[[COUNT:.*]] = arith.index_cast %[[DIFFERENCE]] : index to i64
// CHECK-NEXT:   %old = loop.get %t : f32
// CHECK-NEXT:   %[[FLOAT:.*]] = algebra.cast %[[COUNT]] : i64 to f32
// CHECK-NEXT:   %[[MULTIPLE:.*]] = algebra.apply mul(%v, %[[FLOAT]]) : (f32, f32) -> f32
// CHECK-NEXT:   %new = algebra.apply add(%old, %[[MULTIPLE]]) fastmath<reassoc> : (f32, f32) -> f32
// CHECK-NOT:  loop.for
func.func @sum(%lo: index, %n: index, %v: f32) -> f32 {
  %t = loop.cell %v : f32
  loop.for %i = %lo to %n {
    %old = loop.get %t : f32
    %new = algebra.apply add(%old, %v) fastmath<reassoc> : (f32, f32) -> f32
    loop.set %new, %t : f32
  }
  %r = loop.get %t : f32
  func.return %r : f32
}

// -----

// A product takes a power, in a type that has the exponent.
// CHECK-LABEL: func.func @product
// CHECK:   algebra.cast %v : i8 to i64
// CHECK:   algebra.apply pow({{.*}}) : (i64, i64) -> i64
// CHECK:   algebra.cast {{.*}} : i64 to i8
// CHECK-NOT:  loop.for
func.func @product(%lo: index, %n: index, %v: i8) -> i8 {
  %t = loop.cell %v : i8
  loop.for %i = %lo to %n {
    %old = loop.get %t : i8
    %new = algebra.apply mul(%old, %v) : (i8, i8) -> i8
    loop.set %new, %t : i8
  }
  %r = loop.get %t : i8
  func.return %r : i8
}

// -----

// So does one element of a buffer.
// CHECK-LABEL: func.func @element
// CHECK-NOT:  loop.for
// CHECK:      loop.if
// CHECK:        algebra.apply max
// CHECK-NEXT:   loop.store {{%.*}}, %y[%at] : f64
func.func @element(%lo: index, %n: index, %at: index, %v: f64, %y: !loop.buffer<f64>) {
  loop.for %i = %lo to %n {
    %old = loop.load %y[%at] : f64
    %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
    loop.store %new, %y[%at] : f64
  }
  func.return
}

// -----

// Rows between two blocks: every block has the same rows, and at most as many places as the one before.
// CHECK-LABEL: func.func @blocks
// CHECK:      %[[IS:.*]] = arith.cmpi slt, %lo, %hi
// CHECK-NEXT: loop.if %[[IS]] {
// CHECK-NEXT:   loop.for %ii
// CHECK-NEXT:     arith.muli %lo, %c4
// CHECK-NOT:      loop.for
// CHECK:          arith.cmpi slt, %c0, %places
// CHECK-NEXT:     loop.if
// CHECK-NEXT:       loop.load %m[%ii]
func.func @blocks(%n: index, %lo: index, %hi: index, %v: f64, %m: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  loop.for %jo = %lo to %hi {
    loop.for %ii = %c0 to %c4 {
      %start = arith.muli %jo, %c4 : index
      %left = arith.subi %n, %start : index
      %places = arith.minsi %c4, %left : index
      loop.for %ji = %c0 to %places {
        %old = loop.load %m[%ii] : f64
        %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
        loop.store %new, %m[%ii] : f64
      }
    }
  }
  func.return
}

// -----

// Truth values that cancel each other leave one or none.
// CHECK-LABEL: func.func @parity
// CHECK-NOT:  loop.for
// CHECK:      arith.andi
// CHECK:      algebra.apply where({{.*}}, %v, {{.*}}) : (i1, i8, i8) -> i8
func.func @parity(%lo: index, %n: index, %v: i8) -> i8 {
  %t = loop.cell %v : i8
  loop.for %i = %lo to %n {
    %old = loop.get %t : i8
    %new = algebra.apply xor(%old, %v) : (i8, i8) -> i8
    loop.set %new, %t : i8
  }
  %r = loop.get %t : i8
  func.return %r : i8
}

// -----

// Any other associative operator combines 1, 2, 4, ... values.
// CHECK-LABEL: func.func @squaring
// CHECK-NOT:  loop.for
// CHECK:      loop.while
// CHECK:        algebra.apply @f(%[[POWER:.*]], %[[POWER]]) : (i64, i64) -> i64
// CHECK-NOT:  loop.for
algebra.operator @f (%a: i64, %b: i64) -> i64 attributes {associative} {
  %0 = algebra.apply mul(%a, %b) : (i64, i64) -> i64
  %1 = algebra.apply add(%0, %a) : (i64, i64) -> i64
  %2 = algebra.apply add(%1, %b) : (i64, i64) -> i64
  algebra.yield %2 : i64
}
func.func @squaring(%lo: index, %n: index, %v: i64) -> i64 {
  %t = loop.cell %v : i64
  loop.for %i = %lo to %n {
    %old = loop.get %t : i64
    %new = algebra.apply @f(%old, %v) : (i64, i64) -> i64
    loop.set %new, %t : i64
  }
  %r = loop.get %t : i64
  func.return %r : i64
}

// -----

// Elements that a loop inside combines, each with a value of its own.
// CHECK-LABEL: func.func @elements
// CHECK-NOT:  loop.for %i
// CHECK:      loop.if
// CHECK:        %[[COUNT:.*]] = arith.index_cast
// CHECK:        loop.for %j
// CHECK:          algebra.cast %[[COUNT]] : i64 to f64
// CHECK-NEXT:     %[[MULTIPLE:.*]] = algebra.apply mul(%a, {{.*}})
// CHECK-NEXT:     algebra.apply add(%old, %[[MULTIPLE]])
// CHECK-NEXT:     loop.store
func.func @elements(%lo: index, %n: index, %m: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %m {
      %a = loop.load %x[%j] : f64
      %old = loop.load %y[%j] : f64
      %new = algebra.apply add(%old, %a) fastmath<reassoc> : (f64, f64) -> f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}

// -----

// What each iteration of a loop inside of another one computes alike is computed once, and stored in each.
// CHECK-LABEL: func.func @alike
// CHECK:      loop.for %i
// CHECK-NEXT:   arith.cmpi slt, %lo, %i
// CHECK-NEXT:   loop.if
// CHECK-NEXT:     loop.cell
// CHECK-NEXT:     loop.for %k
// CHECK:          loop.for %j
// CHECK-NEXT:       loop.store
func.func @alike(%lo: index, %n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %z = algebra.constant 0.0 : f64
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %i {
      %t = loop.cell %z : f64
      loop.for %k = %lo to %n {
        %a = loop.load %x[%k] : f64
        %old = loop.get %t : f64
        %new = algebra.apply add(%old, %a) : (f64, f64) -> f64
        loop.set %new, %t : f64
      }
      %r = loop.get %t : f64
      loop.store %r, %y[%j] : f64
    }
  }
  func.return
}

// -----

// Elements that are there or not, as a set says: the first iteration stores what all of them combine.
// CHECK-LABEL: func.func @workspace
// CHECK-NOT:  loop.for %i
// CHECK:      loop.for %j
// CHECK:        loop.insert %j into %w
// CHECK:        %[[MULTIPLE:.*]] = algebra.apply mul(%a, {{.*}})
// CHECK-NEXT:   loop.accumulate add %[[MULTIPLE]] into %y[%j] where
func.func @workspace(%lo: index, %n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %w = loop.index_set %n
  loop.for %i = %lo to %n {
    loop.for %j = %lo to %n {
      %a = loop.load %x[%j] : f64
      %there = loop.insert %j into %w
      loop.accumulate add %a into %y[%j] where %there fastmath<reassoc> : f64
    }
  }
  func.return
}

// -----

// Multiples of indices, and powers of them.
// CHECK-LABEL: func.func @indices
// CHECK:      %[[COUNT:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK:      %[[MULTIPLE:.*]] = algebra.apply mul(%v, %[[COUNT]]) : (index, index) -> index
// CHECK:      algebra.apply add(%{{.*}}, %[[MULTIPLE]]) : (index, index) -> index
// CHECK:      %[[BASE:.*]] = arith.index_cast %v : index to i64
// CHECK:      %[[POWER:.*]] = algebra.apply pow(%[[BASE]], %{{.*}}) : (i64, i64) -> i64
// CHECK:      arith.index_cast %[[POWER]] : i64 to index
func.func @indices(%n: index, %v: index, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %s = loop.cell %v : index
  %p = loop.cell %v : index
  loop.for %i = %zero to %n {
    %0 = loop.get %s : index
    %1 = algebra.apply add(%0, %v) : (index, index) -> index
    loop.set %1, %s : index
    %2 = loop.get %p : index
    %3 = algebra.apply mul(%2, %v) : (index, index) -> index
    loop.set %3, %p : index
  }
  %sum = loop.get %s : index
  loop.store %sum, %y[%zero] : index
  %product = loop.get %p : index
  loop.store %product, %y[%n] : index
  func.return
}
