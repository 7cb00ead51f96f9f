// RUN: irtensor-opt %s -p fuse-equal-loops | filecheck %s

// Numerator and denominator of a weighted mean: one loop over j, one sum over k, one exponential.
// CHECK-LABEL: func.func @weighted_mean
// CHECK: loop.for %i =
// CHECK: [[A:%[a-z0-9_]+]] = loop.cell %zero
// CHECK-NEXT: [[B:%[a-z0-9_]+]] = loop.cell %zero
// CHECK-NEXT: loop.for %j =
// CHECK: loop.for %k =
// CHECK: algebra.apply mul
// CHECK: loop.set
// CHECK: algebra.apply exp
// CHECK: loop.set {{%[a-z0-9_]+}}, [[A]]
// CHECK-NOT: algebra.apply exp
// CHECK: loop.set {{%[a-z0-9_]+}}, [[B]]
// CHECK-NOT: loop.for
// CHECK: algebra.apply div
func.func @weighted_mean(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %v: !loop.buffer<f64>, %o: !loop.buffer<f64>, %m: index, %n: index, %r: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %0 to %m {
    %a = loop.cell %zero : f64
    loop.for %j = %0 to %n {
      %s = loop.cell %zero : f64
      %xrow = arith.muli %i, %r : index
      %yrow = arith.muli %j, %r : index
      loop.for %k = %0 to %r {
        %p = arith.addi %xrow, %k : index
        %q = arith.addi %yrow, %k : index
        %xv = loop.load %x[%p] : f64
        %yv = loop.load %y[%q] : f64
        %xy = algebra.apply mul(%xv, %yv) : (f64, f64) -> f64
        %old = loop.get %s : f64
        %new = algebra.apply add(%old, %xy) : (f64, f64) -> f64
        loop.set %new, %s : f64
      }
      %sum = loop.get %s : f64
      %e = algebra.apply exp(%sum) : (f64) -> f64
      %vj = loop.load %v[%j] : f64
      %ev = algebra.apply mul(%e, %vj) : (f64, f64) -> f64
      %before = loop.get %a : f64
      %after = algebra.apply add(%before, %ev) : (f64, f64) -> f64
      loop.set %after, %a : f64
    }
    %b = loop.cell %zero : f64
    loop.for %j = %0 to %n {
      %s = loop.cell %zero : f64
      %xrow = arith.muli %i, %r : index
      %yrow = arith.muli %j, %r : index
      loop.for %k = %0 to %r {
        %p = arith.addi %xrow, %k : index
        %q = arith.addi %yrow, %k : index
        %yv = loop.load %y[%q] : f64
        %xv = loop.load %x[%p] : f64
        %xy = algebra.apply mul(%yv, %xv) : (f64, f64) -> f64
        %old = loop.get %s : f64
        %new = algebra.apply add(%xy, %old) : (f64, f64) -> f64
        loop.set %new, %s : f64
      }
      %sum = loop.get %s : f64
      %e = algebra.apply exp(%sum) : (f64) -> f64
      %before = loop.get %b : f64
      %after = algebra.apply add(%before, %e) : (f64, f64) -> f64
      loop.set %after, %b : f64
    }
    %above = loop.get %a : f64
    %below = loop.get %b : f64
    %quotient = algebra.apply div(%above, %below) : (f64, f64) -> f64
    loop.store %quotient, %o[%i] : f64
  }
  func.return
}

// Ranges are equal if they are read from the same places of memory that nothing writes, and equal sums may be further
// inside. What the second loop needs goes before the first one.
// CHECK-LABEL: func.func @ranges_from_memory
// CHECK: loop.fill %zero, %w
// CHECK: loop.for %p =
// CHECK-NEXT: loop.for %l =
// CHECK: loop.for %k =
// CHECK-NOT: loop.for
// CHECK: loop.store {{%[a-z0-9_]+}}, %u
// CHECK-NOT: loop.for
// CHECK: loop.store {{%[a-z0-9_]+}}, %w
// CHECK-NOT: loop.for
func.func @ranges_from_memory(%pos: !loop.buffer<index>, %x: !loop.buffer<f64>, %u: !loop.buffer<f64>, %w: !loop.buffer<f64>, %i: index, %n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  %next = arith.addi %i, %1 : index
  %lo = loop.load %pos[%i] : index
  %hi = loop.load %pos[%next] : index
  loop.for %p = %lo to %hi {
    loop.for %l = %0 to %n {
      %s = loop.cell %zero : f64
      loop.for %k = %0 to %l {
        %xv = loop.load %x[%k] : f64
        %old = loop.get %s : f64
        %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
        loop.set %new, %s : f64
      }
      %sum = loop.get %s : f64
      loop.store %sum, %u[%l] : f64
    }
  }
  %lo2 = loop.load %pos[%i] : index
  %hi2 = loop.load %pos[%next] : index
  loop.fill %zero, %w[%0 to %n] : f64
  loop.for %p = %lo2 to %hi2 {
    loop.for %l = %0 to %n {
      %s = loop.cell %zero : f64
      loop.for %k = %0 to %l {
        %xv = loop.load %x[%k] : f64
        %old = loop.get %s : f64
        %new = algebra.apply add(%old, %xv) : (f64, f64) -> f64
        loop.set %new, %s : f64
      }
      %sum = loop.get %s : f64
      %before = loop.load %w[%l] : f64
      %after = algebra.apply add(%before, %sum) : (f64, f64) -> f64
      loop.store %after, %w[%l] : f64
    }
  }
  func.return
}

// A function in an inner loop is read from what the other loop computes in each iteration, which then comes first.
// CHECK-LABEL: func.func @of_a_row
// CHECK: loop.for %p =
// CHECK: [[E:%[a-z0-9_]+]] = algebra.apply exp
// CHECK: loop.set
// CHECK: loop.for %f =
// CHECK-NOT: algebra.apply exp
// CHECK: algebra.apply mul([[E]],
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @of_a_row(%v: !loop.buffer<f64>, %x: !loop.buffer<f64>, %w: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    loop.for %f = %0 to %n {
      %e = algebra.apply exp(%a) : (f64) -> f64
      %b = loop.load %x[%f] : f64
      %c = algebra.apply mul(%e, %b) : (f64, f64) -> f64
      %old = loop.load %w[%f] : f64
      %new = algebra.apply add(%old, %c) : (f64, f64) -> f64
      loop.store %new, %w[%f] : f64
    }
  }
  %t = loop.cell %zero : f64
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    %old = loop.get %t : f64
    %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
    loop.set %new, %t : f64
  }
  %sum = loop.get %t : f64
  loop.store %sum, %w[%n] : f64
  func.return
}

// The same the other way round: the loop that comes first computes what the inner one of the second needs.
// CHECK-LABEL: func.func @before_a_row
// CHECK: loop.for %p =
// CHECK: [[E:%[a-z0-9_]+]] = algebra.apply exp
// CHECK: loop.for %f =
// CHECK-NOT: algebra.apply exp
// CHECK: algebra.apply mul([[E]],
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @before_a_row(%v: !loop.buffer<f64>, %x: !loop.buffer<f64>, %w: !loop.buffer<f64>, %u: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    %e = algebra.apply exp(%a) : (f64) -> f64
    loop.store %e, %u[%p] : f64
  }
  loop.for %p = %0 to %m {
    %a = loop.load %v[%p] : f64
    loop.for %f = %0 to %n {
      %e = algebra.apply exp(%a) : (f64) -> f64
      %b = loop.load %x[%f] : f64
      %c = algebra.apply mul(%e, %b) : (f64, f64) -> f64
      %old = loop.load %w[%f] : f64
      %new = algebra.apply add(%old, %c) : (f64, f64) -> f64
      loop.store %new, %w[%f] : f64
    }
  }
  func.return
}
