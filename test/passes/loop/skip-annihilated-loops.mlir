// RUN: irtensor-opt %s --split-input-file -p skip-annihilated-loops | filecheck %s

// A sum that a condition makes false is not computed. The condition is computed before it.
// CHECK-LABEL: func.func @condition
// CHECK:      %t = loop.cell
// CHECK-NEXT: %[[OPEN:.*]] = algebra.apply lt(%level, %zero) : (i64, i64) -> i1
// CHECK-NEXT: loop.if %[[OPEN]] {
// CHECK-NEXT:   loop.for %p
// CHECK:      algebra.apply and(%[[OPEN]], %sum)
func.func @condition(%x: !loop.buffer<i1>, %lo: index, %hi: index, %level: i64) -> i1 {
  %zero = algebra.constant 0 : i64
  %no = algebra.constant false
  %t = loop.cell %no : i1
  loop.for %p = %lo to %hi {
    %a = loop.load %x[%p] : i1
    %old = loop.get %t : i1
    %new = algebra.apply or(%old, %a) : (i1, i1) -> i1
    loop.set %new, %t : i1
  }
  %open = algebra.apply lt(%level, %zero) : (i64, i64) -> i1
  %sum = loop.get %t : i1
  %r = algebra.apply and(%open, %sum) : (i1, i1) -> i1
  func.return %r : i1
}

// -----

// A sum of floats that a selection does not take, after further steps; and one of integers that is multiplied by 0.
// CHECK-LABEL: func.func @selection
// CHECK:      %[[OTHER:.*]] = algebra.apply not(%c) : (i1) -> i1
// CHECK-NEXT: loop.if %[[OTHER]] {
// CHECK-NEXT:   loop.for %p
// CHECK:      %[[SOME:.*]] = algebra.apply ne(%k, {{.*}}) : (i64, i64) -> i1
// CHECK-NEXT: loop.if %[[SOME]] {
// CHECK-NEXT:   loop.for %p
func.func @selection(%x: !loop.buffer<f64>, %y: !loop.buffer<i64>, %lo: index, %hi: index, %c: i1, %v: f64, %k: i64) -> (f64, i64) {
  %none = algebra.constant 0.0 : f64
  %t = loop.cell %none : f64
  loop.for %p = %lo to %hi {
    %a = loop.load %x[%p] : f64
    %old = loop.get %t : f64
    %new = algebra.apply add(%old, %a) : (f64, f64) -> f64
    loop.set %new, %t : f64
  }
  %sum = loop.get %t : f64
  %twice = algebra.apply add(%sum, %v) : (f64, f64) -> f64
  %r = algebra.apply where(%c, %v, %twice) : (i1, f64, f64) -> f64
  %zero = algebra.constant 0 : i64
  %u = loop.cell %zero : i64
  loop.for %p = %lo to %hi {
    %a = loop.load %y[%p] : i64
    %old = loop.get %u : i64
    %new = algebra.apply add(%old, %a) : (i64, i64) -> i64
    loop.set %new, %u : i64
  }
  %whole = loop.get %u : i64
  %s = algebra.apply mul(%whole, %k) : (i64, i64) -> i64
  func.return %r, %s : f64, i64
}

// -----

// A segment of entries is not walked where a factor of all products is false, nor is a nest of loops.
// CHECK-LABEL: func.func @factor
// CHECK:      loop.for %i
// CHECK:        %[[C:.*]] = loop.load %f[%i] : i1
// CHECK:        loop.if %[[C]] {
// CHECK-NEXT:     loop.for %p
// CHECK-NOT:      loop.if
// CHECK:            loop.for %s
func.func @factor(%f: !loop.buffer<i1>, %pos: !loop.buffer<index>, %x: !loop.buffer<i1>, %y: !loop.buffer<i1>, %z: !loop.buffer<i1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %n {
    %c = loop.load %f[%i] : i1
    %next = arith.addi %i, %c1 : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %a = loop.load %x[%p] : i1
      %ca = algebra.apply and(%c, %a) : (i1, i1) -> i1
      loop.for %s = %c0 to %n {
        %b = loop.load %y[%s] : i1
        %given = algebra.apply and(%ca, %b) : (i1, i1) -> i1
        %old = loop.load %z[%s] : i1
        %new = algebra.apply or(%old, %given) : (i1, i1) -> i1
        loop.store %new, %z[%s] : i1
      }
    }
  }
  func.return
}

// -----

// A segment of entries is not walked where a condition selects infinity for each minimum. The condition is computed
// before it, and the selection is gone; so it is where the other branch is the identity.
// CHECK-LABEL: func.func @selected_terms
// CHECK:      loop.for %i
// CHECK:        %[[NEAR:.*]] = algebra.apply lt(%s, %b) : (f64, f64) -> i1
// CHECK-NEXT:   loop.if %[[NEAR]] {
// CHECK-NEXT:     loop.for %p
// CHECK-NOT:        where
// CHECK:            %{{.*}} = algebra.apply min(%old, %length) : (f64, f64) -> f64
// CHECK:        %[[OTHER:.*]] = algebra.apply not(%c) : (i1) -> i1
// CHECK-NEXT:   loop.if %[[OTHER]] {
// CHECK-NEXT:     loop.for %p
// CHECK:            algebra.apply add(%sum, %a{{[_0-9]*}}) : (f64, f64) -> f64
func.func @selected_terms(%d: !loop.buffer<f64>, %e: !loop.buffer<f64>, %f: !loop.buffer<i1>, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %z: !loop.buffer<f64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %inf = algebra.constant 0x7ff0000000000000 : f64
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n {
    %s = loop.load %d[%i] : f64
    %b = loop.load %e[%i] : f64
    %c = loop.load %f[%i] : i1
    %next = arith.addi %i, %c1 : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : index
      %a = loop.load %x[%p] : f64
      %near = algebra.apply lt(%s, %b) : (f64, f64) -> i1
      %length = algebra.apply add(%s, %a) : (f64, f64) -> f64
      %given = algebra.apply where(%near, %length, %inf) : (i1, f64, f64) -> f64
      %old = loop.load %z[%j] : f64
      %new = algebra.apply min(%old, %given) : (f64, f64) -> f64
      loop.store %new, %z[%j] : f64
    }
    %t = loop.cell %zero : f64
    loop.for %p = %lo to %hi {
      %a = loop.load %x[%p] : f64
      %given = algebra.apply where(%c, %zero, %a) : (i1, f64, f64) -> f64
      %sum = loop.get %t : f64
      %new = algebra.apply add(%sum, %given) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %r = loop.get %t : f64
    loop.store %r, %z[%i] : f64
  }
  func.return
}
