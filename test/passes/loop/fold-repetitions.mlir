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
