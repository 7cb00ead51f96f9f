// RUN: irtensor-opt %s -p lower-algebra-to-arith | filecheck %s

// Integers without a sign become plain ones, and operations say how they are read.
// CHECK-LABEL: func.func @unsigned(%a: i8, %b: i8, %out: !loop.buffer<i32>, %i: index)
func.func @unsigned(%a: ui8, %b: ui8, %out: !loop.buffer<ui32>, %i: index) {
  // CHECK-NEXT: [[MOST:%.*]] = arith.constant -56 : i8
  %most = algebra.constant 200 : ui8
  // CHECK-NEXT: [[LEAST:%.*]] = arith.minui %a, [[MOST]] : i8
  %least = algebra.apply min(%a, %most) : (ui8, ui8) -> ui8
  // CHECK-NEXT: [[LESS:%.*]] = arith.cmpi ult, [[LEAST]], %b : i8
  %less = algebra.apply lt(%least, %b) : (ui8, ui8) -> i1
  // CHECK-NEXT: arith.select [[LESS]]
  %chosen = algebra.apply where(%less, %least, %b) : (i1, ui8, ui8) -> ui8
  // CHECK-NEXT: [[WIDE:%.*]] = arith.extui {{.*}} : i8 to i32
  %wide = algebra.cast %chosen : ui8 to ui32
  // CHECK-NEXT: loop.store [[WIDE]], %out[%i] : i32
  loop.store %wide, %out[%i] : ui32
  func.return
}

// Of integers of the same width, a conversion does nothing.
// CHECK-LABEL: func.func @same_bits
func.func @same_bits(%a: ui64, %out: !loop.buffer<i64>, %i: index) {
  // CHECK-NEXT: loop.store %a, %out[%i] : i64
  %0 = algebra.cast %a : ui64 to i64
  loop.store %0, %out[%i] : i64
  func.return
}
