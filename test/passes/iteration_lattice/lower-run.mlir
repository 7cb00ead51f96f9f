// RUN: irtensor-opt %s --split-input-file -p lower-run | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// A value known at run time takes the place of the payload.
// CHECK-LABEL: func.func @value
// CHECK-NEXT: iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   %p = algebra.apply mul(%v, %b) : (f64, f64) -> f64
// CHECK-NEXT:   iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @value(%v: f64, %x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %run = iteration_lattice.run %v : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// 0 * b is 0, and adding 0 changes nothing: the loop vanishes.
// CHECK-LABEL: func.func @annihilates
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: func.return
func.func @annihilates(%x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %run = iteration_lattice.run %zero : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// 0 - b is -b, not b (pitfall P14).
// CHECK-LABEL: func.func @exhausted_minuend
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   [[N0:%[a-z0-9_]+]] = algebra.apply neg(%b) : (f64) -> f64
// CHECK-NEXT:   iteration_lattice.update add [[N0]] into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @exhausted_minuend(%x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %run = iteration_lattice.run %zero : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply sub(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Over one coordinate with nothing left to iterate the body remains.
// CHECK-LABEL: func.func @unit
// CHECK-NEXT: "test.op"(%lo) : (index) -> ()
// CHECK-NEXT: iteration_lattice.update add %v into %s : f64, !loop.cell<f64>
// CHECK-NEXT: func.return
func.func @unit(%v: f64, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %run = iteration_lattice.run %v : f64 -> !nest
  iteration_lattice.coiterate unit %lo to %hi over %run : !nest {
  ^bb0(%i: index, %a: f64):
    "test.op"(%i) : (index) -> ()
    iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A loop that is lowered already, such as one over parts, is taken to do something: the loop around it stays.
// CHECK-LABEL: func.func @lowered
// CHECK: iteration_lattice.coiterate %lo to %hi {
// CHECK:   loop.for %part = %lo to %hi {
// CHECK:     iteration_lattice.update add {{.*}} into %s : f64, !loop.cell<f64>
func.func @lowered(%s: !loop.cell<f64>, %lo: index, %hi: index) {
  %one = algebra.constant 1.0 : f64
  %run = iteration_lattice.run %one : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run : !nest {
  ^bb0(%i: index, %a: f64):
    loop.for %part = %lo to %hi {
      iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// Which branch runs is known with the payload: the one for entries that are absent.
// CHECK-LABEL: func.func @known_branch
// CHECK:      iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK:        iteration_lattice.update max %b into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @known_branch(%x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %run = iteration_lattice.run %zero : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %c = algebra.apply ne(%a, %zero) : (f64, f64) -> i1
    iteration_lattice.if %c {
      iteration_lattice.update add %b into %s : f64, !loop.cell<f64>
    } else {
      iteration_lattice.update max %b into %s : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A branch in which nothing is left to do is empty, and with both of them the loop vanishes.
// CHECK-LABEL: func.func @empty_branches
// CHECK:      iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   iteration_lattice.if %flag {
// CHECK-NEXT:   } else {
// CHECK-NEXT:     iteration_lattice.update add %b into %s : f64, !loop.cell<f64>
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @empty_branches(%flag: i1, %x: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %run = iteration_lattice.run %zero : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    iteration_lattice.if %flag {
      iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
    } else {
      iteration_lattice.update add %b into %s : f64, !loop.cell<f64>
    }
  }
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.if %flag {
      iteration_lattice.update add %a into %s : f64, !loop.cell<f64>
    } else {
      iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// What only a loop that vanishes would have read is not computed: neither the sum nor the loops for it.
// CHECK-LABEL: func.func @unread_sum
// CHECK-NEXT: %zero = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: iteration_lattice.coiterate %lo to %hi over %x : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %b: f64):
// CHECK-NEXT:   iteration_lattice.update add %b into %s : f64, !loop.cell<f64>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @unread_sum(%x: !nest, %y: !nest, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  %zero = algebra.constant 0.0 : f64
  %run = iteration_lattice.run %zero : f64 -> !nest
  iteration_lattice.coiterate %lo to %hi over %run, %x : !nest, !nest {
  ^bb0(%i: index, %a: f64, %b: f64):
    %sum = loop.cell %b : f64
    iteration_lattice.coiterate %lo to %hi over %y : !nest {
    ^bb0(%j: index, %c: f64):
      iteration_lattice.coiterate %lo to %hi over %y : !nest {
      ^bb0(%k: index, %d: f64):
        iteration_lattice.update add %d into %sum : f64, !loop.cell<f64>
      }
    }
    iteration_lattice.coiterate %lo to %hi over %y : !nest {
    ^bb0(%j: index, %c: f64):
      %t = loop.get %sum : f64
      %u = algebra.apply mul(%t, %c) : (f64, f64) -> f64
      %p = algebra.apply mul(%a, %u) : (f64, f64) -> f64
      iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
    }
    iteration_lattice.update add %b into %s : f64, !loop.cell<f64>
  }
  func.return
}
