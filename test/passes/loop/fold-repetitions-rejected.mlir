// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p fold-repetitions | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p keep-order-of-sums,fold-repetitions | filecheck %s

// A value that is another one in each iteration: the index, an element there, or what was computed before.
// CHECK-LABEL: func.func @values
// CHECK-COUNT-3: loop.for
func.func @values(%n: index, %x: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %t = loop.cell %c0 : index
  %u = loop.cell %c0 : index
  loop.for %i = %c0 to %n {
    %old = loop.get %t : index
    %new = arith.maxsi %old, %i : index
    loop.set %new, %t : index
  }
  loop.for %i = %c0 to %n {
    %v = loop.load %x[%i] : index
    %old = loop.get %t : index
    %new = arith.maxsi %old, %v : index
    loop.set %new, %t : index
  }
  loop.for %i = %c0 to %n {
    %a = loop.get %u : index
    %old = loop.get %t : index
    %new = arith.addi %old, %a : index
    loop.set %new, %t : index
    loop.set %new, %u : index
  }
  func.return
}

// -----

// An operator that is not associative; and a loop whose parts run at the same time.
// CHECK-LABEL: func.func @operators
// CHECK-COUNT-2: loop.for
func.func @operators(%n: index, %v: i64) {
  %c0 = arith.constant 0 : index
  %t = loop.cell %v : i64
  loop.for %i = %c0 to %n {
    %old = loop.get %t : i64
    %new = algebra.apply sub(%old, %v) : (i64, i64) -> i64
    loop.set %new, %t : i64
  }
  loop.for %i = %c0 to %n attributes {parallel = "none"} {
    %old = loop.get %t : i64
    %new = algebra.apply max(%old, %v) : (i64, i64) -> i64
    loop.set %new, %t : i64
  }
  func.return
}

// -----

// Two cells that depend on each other, and a store.
// CHECK-LABEL: func.func @effects
// CHECK-COUNT-2: loop.for
func.func @effects(%n: index, %v: i64, %x: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %t = loop.cell %v : i64
  %u = loop.cell %v : i64
  loop.for %i = %c0 to %n {
    %a = loop.get %t : i64
    %b = loop.get %u : i64
    %c = algebra.apply max(%a, %b) : (i64, i64) -> i64
    loop.set %c, %t : i64
    %d = algebra.apply add(%b, %v) : (i64, i64) -> i64
    loop.set %d, %u : i64
  }
  loop.for %i = %c0 to %n {
    %old = loop.get %t : i64
    %new = algebra.apply max(%old, %v) : (i64, i64) -> i64
    loop.set %new, %t : i64
    loop.store %new, %x[%c0] : i64
  }
  func.return
}

// -----

// A sum and a product of floats that may not be reassociated: a multiple is rounded once.
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-2: loop.for
func.func @rounded(%n: index, %v: f64) {
  %c0 = arith.constant 0 : index
  %t = loop.cell %v : f64
  loop.for %i = %c0 to %n {
    %old = loop.get %t : f64
    %new = algebra.apply add(%old, %v) fastmath<contract> : (f64, f64) -> f64
    loop.set %new, %t : f64
  }
  loop.for %i = %c0 to %n {
    %old = loop.get %t : f64
    %new = algebra.apply mul(%old, %v) : (f64, f64) -> f64
    loop.set %new, %t : f64
  }
  func.return
}

// -----

// Later iterations that do more: longer inner loops, conditions that begin to hold, other elements, other values.
// CHECK-LABEL: func.func @more
// CHECK-COUNT-4: loop.for %jo
func.func @more(%n: index, %v: i64, %m: !loop.buffer<i64>, %x: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  loop.for %jo = %c0 to %n {
    loop.for %ii = %c0 to %jo {
      %old = loop.load %m[%ii] : i64
      %new = algebra.apply max(%old, %v) : (i64, i64) -> i64
      loop.store %new, %m[%ii] : i64
    }
  }
  loop.for %jo_1 = %c0 to %n {
    %is = arith.cmpi slt, %n, %jo_1 : index
    loop.if %is {
      %old = loop.load %m[%n] : i64
      %new = algebra.apply max(%old, %v) : (i64, i64) -> i64
      loop.store %new, %m[%n] : i64
    }
  }
  loop.for %jo_2 = %c0 to %n {
    %at = arith.subi %n, %jo_2 : index
    %old = loop.load %m[%at] : i64
    %new = algebra.apply max(%old, %v) : (i64, i64) -> i64
    loop.store %new, %m[%at] : i64
  }
  loop.for %jo_3 = %c0 to %n {
    %w = loop.load %x[%jo_3] : i64
    %old = loop.load %m[%n] : i64
    %new = algebra.apply max(%old, %w) : (i64, i64) -> i64
    loop.store %new, %m[%n] : i64
  }
  func.return
}

// -----

// What is combined is read where it is combined, or two operators combine; a difference is another one each time.
// CHECK-LABEL: func.func @depends
// CHECK-COUNT-3: loop.for %jo
func.func @depends(%n: index, %v: i64, %m: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %jo = %c0 to %n {
    %w = loop.load %m[%c1] : i64
    %old = loop.load %m[%c0] : i64
    %new = algebra.apply max(%old, %w) : (i64, i64) -> i64
    loop.store %new, %m[%c0] : i64
    %old1 = loop.load %m[%c1] : i64
    %new1 = algebra.apply max(%old1, %v) : (i64, i64) -> i64
    loop.store %new1, %m[%c1] : i64
  }
  loop.for %jo_1 = %c0 to %n {
    %old = loop.load %m[%c0] : i64
    %new = algebra.apply max(%old, %v) : (i64, i64) -> i64
    loop.store %new, %m[%c0] : i64
    %old1 = loop.load %m[%c0] : i64
    %new1 = algebra.apply min(%old1, %v) : (i64, i64) -> i64
    loop.store %new1, %m[%c0] : i64
  }
  loop.for %jo_2 = %c0 to %n {
    loop.for %ii = %c0 to %n {
      %old = loop.load %m[%ii] : i64
      %new = algebra.apply sub(%old, %v) : (i64, i64) -> i64
      loop.store %new, %m[%ii] : i64
    }
  }
  func.return
}

// -----

// A loop inside that reads what others change, and one cell that a later operation of an iteration sets.
// CHECK-LABEL: func.func @alike
// CHECK-COUNT-2: loop.for %j
// CHECK:       loop.for %k
func.func @alike(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %z = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n {
    loop.for %j = %c0 to %i {
      %t = loop.cell %z : f64
      loop.for %k = %c0 to %n {
        %a = loop.load %y[%k] : f64
        %old = loop.get %t : f64
        %new = algebra.apply max(%old, %a) : (f64, f64) -> f64
        loop.set %new, %t : f64
      }
      %r = loop.get %t : f64
      loop.store %r, %y[%j] : f64
    }
    loop.for %j_1 = %c0 to %i {
      %t = loop.cell %z : f64
      loop.for %k = %c0 to %n {
        %a = loop.load %x[%k] : f64
        %old = loop.get %t : f64
        %new = algebra.apply max(%old, %a) : (f64, f64) -> f64
        loop.set %new, %t : f64
      }
      %b = loop.load %x[%j_1] : f64
      loop.set %b, %t : f64
      %r = loop.get %t : f64
      loop.store %r, %y[%j_1] : f64
    }
  }
  func.return
}

// -----

// What is added to is another cell: it is set to the same sum in each iteration.
// CHECK-LABEL: func.func @another_cell
// CHECK: loop.for
func.func @another_cell(%n: index, %v: i64) {
  %c0 = arith.constant 0 : index
  %t = loop.cell %v : i64
  %u = loop.cell %v : i64
  loop.for %i = %c0 to %n {
    %old = loop.get %u : i64
    %new = algebra.apply add(%old, %v) : (i64, i64) -> i64
    loop.set %new, %t : i64
  }
  func.return
}

// -----

// A condition that is the same in each iteration, with which each stores anew; and a branch that only later ones take.
// CHECK-LABEL: func.func @workspace
// CHECK-COUNT-2: loop.for %i
func.func @workspace(%lo: index, %n: index, %there: i1, %a: f64, %y: !loop.buffer<f64>) {
  %w = loop.index_set %n
  loop.for %i = %lo to %n {
    loop.accumulate add %a into %y[%lo] where %there fastmath<reassoc> : f64
  }
  loop.for %i_1 = %lo to %n {
    %again = loop.insert %lo into %w
    loop.if %again {
      %old = loop.load %y[%lo] : f64
      %new = algebra.apply add(%old, %a) fastmath<reassoc> : (f64, f64) -> f64
      loop.store %new, %y[%lo] : f64
    }
  }
  func.return
}
