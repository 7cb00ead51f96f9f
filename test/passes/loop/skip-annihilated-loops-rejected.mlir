// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p skip-annihilated-loops | filecheck %s

// 0 times a sum of floats may be NaN; and a sum that is used elsewhere, or stored, is computed.
// CHECK-LABEL: func.func @sums
// CHECK-NOT:  loop.if
// CHECK:      func.return
func.func @sums(%x: !loop.buffer<f64>, %y: !loop.buffer<i1>, %z: !loop.buffer<i1>, %lo: index, %hi: index, %v: f64, %c: i1) -> (f64, i1, i1) {
  %none = algebra.constant 0.0 : f64
  %no = algebra.constant false
  %t = loop.cell %none : f64
  loop.for %p = %lo to %hi {
    %a = loop.load %x[%p] : f64
    %old = loop.get %t : f64
    %new = algebra.apply add(%old, %a) : (f64, f64) -> f64
    loop.set %new, %t : f64
  }
  %sum = loop.get %t : f64
  %r = algebra.apply mul(%v, %sum) : (f64, f64) -> f64
  %u = loop.cell %no : i1
  loop.for %p = %lo to %hi {
    %a = loop.load %y[%p] : i1
    %old = loop.get %u : i1
    %new = algebra.apply or(%old, %a) : (i1, i1) -> i1
    loop.set %new, %u : i1
  }
  %any = loop.get %u : i1
  %s = algebra.apply and(%c, %any) : (i1, i1) -> i1
  %w = loop.cell %no : i1
  loop.for %p = %lo to %hi {
    %a = loop.load %y[%p] : i1
    %old = loop.get %w : i1
    %new = algebra.apply or(%old, %a) : (i1, i1) -> i1
    loop.set %new, %w : i1
    loop.store %new, %z[%p] : i1
  }
  %last = loop.get %w : i1
  %q = algebra.apply and(%c, %last) : (i1, i1) -> i1
  %both = algebra.apply xor(%any, %q) : (i1, i1) -> i1
  func.return %r, %s, %both : f64, i1, i1
}

// -----

// A condition that is computed from the sum, or read from what is stored in between.
// CHECK-LABEL: func.func @conditions
// CHECK-NOT:  loop.if
// CHECK:      func.return
func.func @conditions(%y: !loop.buffer<i1>, %z: !loop.buffer<i1>, %at: index, %lo: index, %hi: index, %c: i1) -> i1 {
  %no = algebra.constant false
  %t = loop.cell %no : i1
  loop.for %p = %lo to %hi {
    %a = loop.load %y[%p] : i1
    %old = loop.get %t : i1
    %new = algebra.apply or(%old, %a) : (i1, i1) -> i1
    loop.set %new, %t : i1
  }
  loop.store %c, %z[%at] : i1
  %stored = loop.load %z[%at] : i1
  %any = loop.get %t : i1
  %r = algebra.apply and(%stored, %any) : (i1, i1) -> i1
  func.return %r : i1
}

// -----

// A stored entry is hardly ever false. A short loop along a dimension is not worth a branch. Threads divide a loop.
// CHECK-LABEL: func.func @factors
// CHECK-NOT:  loop.if
// CHECK:      func.return
func.func @factors(%f: !loop.buffer<i1>, %pos: !loop.buffer<index>, %x: !loop.buffer<i1>, %y: !loop.buffer<i1>, %z: !loop.buffer<i1>, %n: index, %k: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %c = loop.load %f[%i] : i1
    %next = arith.addi %i, %c1 : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %a = loop.load %x[%p] : i1
      loop.for %s = %lo to %hi {
        %b = loop.load %y[%s] : i1
        %given = algebra.apply and(%a, %b) : (i1, i1) -> i1
        %given1 = algebra.apply and(%given, %k) : (i1, i1) -> i1
        %old = loop.load %z[%s] : i1
        %new = algebra.apply or(%old, %given1) : (i1, i1) -> i1
        loop.store %new, %z[%s] : i1
      }
    }
    loop.for %s = %c0 to %n {
      %b = loop.load %y[%s] : i1
      %given = algebra.apply and(%c, %b) : (i1, i1) -> i1
      %old = loop.load %z[%s] : i1
      %new = algebra.apply or(%old, %given) : (i1, i1) -> i1
      loop.store %new, %z[%s] : i1
    }
  }
  func.return
}

// -----

// Another update does not have the factor, or keeps nothing as it is.
// CHECK-LABEL: func.func @updates
// CHECK-NOT:  loop.if
// CHECK:      func.return
func.func @updates(%f: !loop.buffer<i1>, %pos: !loop.buffer<index>, %y: !loop.buffer<i1>, %z: !loop.buffer<i1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %n {
    %c = loop.load %f[%i] : i1
    %next = arith.addi %i, %c1 : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %b = loop.load %y[%p] : i1
      %given = algebra.apply and(%c, %b) : (i1, i1) -> i1
      %old = loop.load %z[%p] : i1
      %new = algebra.apply or(%old, %given) : (i1, i1) -> i1
      loop.store %new, %z[%p] : i1
      %old1 = loop.load %z[%i] : i1
      %new1 = algebra.apply or(%old1, %b) : (i1, i1) -> i1
      loop.store %new1, %z[%i] : i1
    }
    loop.for %p = %lo to %hi {
      %b = loop.load %y[%p] : i1
      %given = algebra.apply and(%c, %b) : (i1, i1) -> i1
      %old = loop.load %z[%p] : i1
      %new = algebra.apply and(%old, %given) : (i1, i1) -> i1
      loop.store %new, %z[%p] : i1
    }
  }
  func.return
}

// -----

// 0 makes a difference to a minimum, a condition of an entry is not known before the loop, and one of two updates has
// no condition.
// CHECK-LABEL: func.func @selected_terms
// CHECK-NOT:  loop.if
// CHECK:      func.return
func.func @selected_terms(%f: !loop.buffer<i1>, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = algebra.constant 0x7ff0000000000000 : f64
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n {
    %c = loop.load %f[%i] : i1
    %next = arith.addi %i, %c1 : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : index
      %a = loop.load %x[%p] : f64
      %given = algebra.apply where(%c, %a, %zero) : (i1, f64, f64) -> f64
      %old = loop.load %z[%j] : f64
      %new = algebra.apply min(%old, %given) : (f64, f64) -> f64
      loop.store %new, %z[%j] : f64
    }
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : index
      %a = loop.load %x[%p] : f64
      %near = algebra.apply lt(%a, %zero) : (f64, f64) -> i1
      %given = algebra.apply where(%near, %a, %inf) : (i1, f64, f64) -> f64
      %old = loop.load %z[%j] : f64
      %new = algebra.apply min(%old, %given) : (f64, f64) -> f64
      loop.store %new, %z[%j] : f64
    }
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : index
      %a = loop.load %x[%p] : f64
      %given = algebra.apply where(%c, %a, %inf) : (i1, f64, f64) -> f64
      %old = loop.load %z[%j] : f64
      %new = algebra.apply min(%old, %given) : (f64, f64) -> f64
      loop.store %new, %z[%j] : f64
      %old1 = loop.load %z[%i] : f64
      %new1 = algebra.apply min(%old1, %a) : (f64, f64) -> f64
      loop.store %new1, %z[%i] : f64
    }
  }
  func.return
}
