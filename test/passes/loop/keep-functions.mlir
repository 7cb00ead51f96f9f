// RUN: irtensor-opt %s --split-input-file -p keep-functions | filecheck %s

// A softmax: the row of results holds the exponentials until it is known what they are divided by.
// CHECK-LABEL: func.func @softmax
// CHECK: loop.for %l =
// CHECK: [[SHIFTED:%[a-z0-9_]+]] = algebra.apply sub
// CHECK: [[ROW:%[a-z0-9_]+]] = arith.muli %i, %q
// CHECK-NEXT: [[PLACE:%[a-z0-9_]+]] = arith.addi [[ROW]], %l
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = algebra.apply exp([[SHIFTED]])
// CHECK-NEXT: loop.store [[E]], %y[[[PLACE]]]
// CHECK: loop.for %j =
// CHECK-NOT: exp
// CHECK-NOT: loop.load %x
// CHECK: [[KEPT:%[a-z0-9_]+]] = loop.load %y[{{%[a-z0-9_]+}}]
// CHECK-NEXT: [[SUM:%[a-z0-9_]+]] = loop.get %s
// CHECK-NEXT: [[QUOTIENT:%[a-z0-9_]+]] = algebra.apply div([[KEPT]], [[SUM]])
// CHECK-NEXT: loop.store [[QUOTIENT]], %y
func.func @softmax(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: !loop.buffer<f64>, %n: index, %p: index, %q: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %0 to %n {
    %t = loop.cell %zero : f64
    %most = loop.load %m[%i] : f64
    loop.set %most, %t : f64
    %s = loop.cell %zero : f64
    %start = arith.muli %i, %p : index
    loop.for %l = %0 to %p {
      %a = arith.addi %start, %l : index
      %v = loop.load %x[%a] : f64
      %g = loop.get %t : f64
      %d = algebra.apply sub(%v, %g) : (f64, f64) -> f64
      %e = algebra.apply exp(%d) : (f64) -> f64
      %old = loop.get %s : f64
      %new = algebra.apply add(%old, %e) : (f64, f64) -> f64
      loop.set %new, %s : f64
    }
    %row = arith.muli %i, %q : index
    loop.for %j = %0 to %p {
      %a = arith.addi %start, %j : index
      %b = arith.addi %row, %j : index
      %v = loop.load %x[%a] : f64
      %g = loop.get %t : f64
      %d = algebra.apply sub(%v, %g) : (f64, f64) -> f64
      %e = algebra.apply exp(%d) : (f64) -> f64
      %all = loop.get %s : f64
      %r = algebra.apply div(%e, %all) : (f64, f64) -> f64
      loop.store %r, %y[%b] : f64
    }
  }
  func.return
}

// -----

// All that is stored is known before: there is no second loop. The value is the last of several that hold a function.
// CHECK-LABEL: func.func @values_and_sum
// CHECK: loop.for %l =
// CHECK: [[VALUE:%[a-z0-9_]+]] = algebra.apply mul
// CHECK-NEXT: loop.store [[VALUE]], %y[%l]
// CHECK-NOT: loop.for
// CHECK: func.return
func.func @values_and_sum(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %o: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %s = loop.cell %zero : f64
  loop.for %l = %0 to %n {
    %v = loop.load %x[%l] : f64
    %e = algebra.apply log(%v) : (f64) -> f64
    %f = algebra.apply mul(%v, %e) : (f64, f64) -> f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %f) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = algebra.apply log(%v) : (f64) -> f64
    %f = algebra.apply mul(%e, %v) : (f64, f64) -> f64
    loop.store %f, %y[%j] : f64
  }
  %sum = loop.get %s : f64
  loop.store %sum, %o[%0] : f64
  func.return
}
