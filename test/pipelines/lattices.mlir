// One dimension, every kind of lattice (a, b, e, f are lists, d is dense): which points are kept, and that nothing else is.
// Gaps that count are loops over their coordinates, where a classic merge would test each of them.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|fill|lower_bound)|^ *}' | filecheck %s

#format0 = #storage.format<(i) -> (i : compressed)>
// s1:  y[i] = a[i]
// CHECK-LABEL: func.func @l01(
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l01(%a: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

// d1:  y[i] = a[i]
// CHECK-LABEL: func.func @l02(
// CHECK-NEXT: loop.for %i = {{.*}} to %a_n0 {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l02(%a: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[%i] : tensor<?xf64>
    index_notation.yield %0 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// s1*s2:  y[i] = a[i] * b[i]
// CHECK-LABEL: func.func @l03(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   } else {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l03(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// s1*d1:  y[i] = a[i] * b[i]
// CHECK-LABEL: func.func @l04(
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l04(%a: tensor<?xf64, #format0>, %b: tensor<?xf64>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1*s2)*d1:  y[i] = a[i] * b[i] * d[i]
// CHECK-LABEL: func.func @l05(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   } else {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l05(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>, %d: tensor<?xf64>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %d[%i] : tensor<?xf64>
    %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// s1+s2:  y[i] = a[i] + b[i]
// CHECK-LABEL: func.func @l06(
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l06(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// s1+d2:  y[i] = a[i] + d[i]
// CHECK-LABEL: func.func @l07(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_1 = {{.*}} to %a_n0 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l07(%a: tensor<?xf64, #format0>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %d[%i] : tensor<?xf64>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1+s2)*d3:  y[i] = (a[i] + b[i]) * d[i]
// CHECK-LABEL: func.func @l08(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       } else {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l08(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %d[%i] : tensor<?xf64>
    %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (d1+d2)*s3:  y[i] = (d[i] + e[i]) * a[i]
// CHECK-LABEL: func.func @l09(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l09(%d: tensor<?xf64>, %e: tensor<?xf64>, %a: tensor<?xf64, #format0>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %d[%i] : tensor<?xf64>
    %1 = index_notation.access %e[%i] : tensor<?xf64>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1+d2)*s3:  y[i] = (a[i] + d[i]) * b[i]
// CHECK-LABEL: func.func @l10(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.if {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l10(%a: tensor<?xf64, #format0>, %d: tensor<?xf64>, %b: tensor<?xf64, #format0>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %d[%i] : tensor<?xf64>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1+s2)*s3:  y[i] = (a[i] + b[i]) * e[i]
// CHECK-LABEL: func.func @l11(
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l11(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>, %e: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %e[%i] : tensor<?xf64, #format0>
    %4 = algebra.apply mul(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1*s2)+s3:  y[i] = a[i] * b[i] + e[i]
// CHECK-LABEL: func.func @l12(
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:     } else {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l12(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>, %e: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %e[%i] : tensor<?xf64, #format0>
    %4 = algebra.apply add(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1*s2)+d3:  y[i] = a[i] * b[i] + d[i]
// CHECK-LABEL: func.func @l13(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.while {
// CHECK-NEXT:   } do {
// CHECK-NEXT:     loop.if {{.*}} {
// CHECK-NEXT:       loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       loop.for %i_1 = {{.*}} to {{.*}} {
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_2 = {{.*}} to %a_n0 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l13(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %d[%i] : tensor<?xf64>
    %4 = algebra.apply add(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1*d2)+d3:  y[i] = a[i] * d[i] + e[i]
// CHECK-LABEL: func.func @l14(
// CHECK-NEXT: loop.fill {{.*}}, %y_vals[
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %p = {{.*}} to {{.*}} {
// CHECK-NEXT:     loop.for %i = {{.*}} to {{.*}} {
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: loop.if {{.*}} {
// CHECK-NEXT:   loop.for %i_1 = {{.*}} to %a_n0 {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l14(%a: tensor<?xf64, #format0>, %d: tensor<?xf64>, %e: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %d[%i] : tensor<?xf64>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %e[%i] : tensor<?xf64>
    %4 = algebra.apply add(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// (s1+s2)*(s3+s4):  y[i] = (a[i] + b[i]) * (e[i] + f[i])
// CHECK-LABEL: func.func @l15(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT:   loop.if {{.*}} {
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l15(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>, %e: tensor<?xf64, #format0>, %f: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %e[%i] : tensor<?xf64, #format0>
    %4 = index_notation.access %f[%i] : tensor<?xf64, #format0>
    %5 = algebra.apply add(%3, %4) : (f64, f64) -> f64
    %6 = algebra.apply mul(%2, %5) : (f64, f64) -> f64
    index_notation.yield %6 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}

// -----

#format0 = #storage.format<(i) -> (i : compressed)>
// s1+s2+s3:  y[i] = a[i] + b[i] + e[i]
// CHECK-LABEL: func.func @l16(
// CHECK-NEXT: loop.while {
// CHECK-NEXT: } do {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @l16(%a: tensor<?xf64, #format0>, %b: tensor<?xf64, #format0>, %e: tensor<?xf64, #format0>) -> tensor<?xf64, #format0> {
  %y = index_notation.assign (%i) : tensor<?xf64, #format0> {
    %0 = index_notation.access %a[%i] : tensor<?xf64, #format0>
    %1 = index_notation.access %b[%i] : tensor<?xf64, #format0>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    %3 = index_notation.access %e[%i] : tensor<?xf64, #format0>
    %4 = algebra.apply add(%2, %3) : (f64, f64) -> f64
    index_notation.yield %4 : f64
  }
  func.return %y : tensor<?xf64, #format0>
}
