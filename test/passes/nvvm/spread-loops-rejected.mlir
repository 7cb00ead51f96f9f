// RUN: not irtensor-opt %s -p 'spread-loops{team=3}' 2>&1 | filecheck %s --check-prefix=TEAM
// RUN: irtensor-opt %s -p spread-loops | filecheck %s

// TEAM: error: [bad-pass-option] pass 'spread-loops': team= is 0 or 1 or 2 or 4 or 8 or 16 or 32 or 128, not 3

// Parts that are windows of coordinates, which another pass makes, and loops that are not marked, stay as they are.
// CHECK-LABEL: func.func @windows(
// CHECK-NOT:   loop.parallel
// CHECK:       loop.for %i = {{.*}} attributes {parallel = "automatic", windows}
// CHECK:       loop.for %i_1 = %c0 to %n {
func.func @windows(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n attributes {parallel = "automatic", windows} {
    loop.store %i, %y[%i] : index
  }
  loop.for %i = %c0 to %n {
    loop.store %i, %y[%i] : index
  }
  func.return
}

// Parts that do something else with elements of their own than to combine them stay parts.
// CHECK-LABEL: func.func @own_elements(
// CHECK:       %own = loop.private add
// CHECK:       loop.parallel %i = %c0 to %parts {
// CHECK:       func.return
func.func @own_elements(%n: index, %b: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %own = loop.private add %b[%c0 to %n] : f64
  %parts = loop.parts %n each %n
  loop.parallel %i = %c0 to %parts {
    %x = loop.load %own[%i] : f64
    loop.store %x, %y[%i] : f64
  }
  func.return
}
