// RUN: irtensor-opt %s --split-input-file -p split-off-functions | filecheck %s

// A row of a matrix of similarities: sums first, then exponentials. What they are of besides is computed by the second
// loop alone.
// CHECK-LABEL: func.func @similarities
// CHECK: loop.for %j =
// CHECK-NOT: loop.load %g
// CHECK: loop.for %k =
// CHECK: loop.set
// CHECK: [[SUM:%[a-z0-9_]+]] = loop.get %t
// CHECK-NEXT: loop.store [[SUM]], %y[{{%[a-z0-9_]+}}]
// CHECK: loop.for [[J:%[a-z0-9_]+]] =
// CHECK: [[PLACE:%[a-z0-9_]+]] = arith.addi {{%[a-z0-9_]+}}, [[J]]
// CHECK-NEXT: [[KEPT:%[a-z0-9_]+]] = loop.load %y[[[PLACE]]]
// CHECK-NEXT: [[G:%[a-z0-9_]+]] = loop.load %g[[[J]]]
// CHECK-NEXT: [[P:%[a-z0-9_]+]] = algebra.apply mul([[G]], [[KEPT]])
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = algebra.apply exp([[P]])
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = algebra.apply add([[E]], [[KEPT]])
// CHECK-NEXT: loop.store [[R]], %y[[[PLACE]]]
func.func @similarities(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %g: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %0 to %n {
    loop.for %j = %0 to %m {
      %row = arith.muli %i, %m : index
      %place = arith.addi %row, %j : index
      %gj = loop.load %g[%j] : f64
      %t = loop.cell %zero : f64
      loop.for %k = %0 to %n {
        %v = loop.load %x[%k] : f64
        %old = loop.get %t : f64
        %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
        loop.set %new, %t : f64
      }
      %sum = loop.get %t : f64
      %p = algebra.apply mul(%gj, %sum) : (f64, f64) -> f64
      %e = algebra.apply exp(%p) : (f64) -> f64
      %again = loop.get %t : f64
      %r = algebra.apply add(%e, %again) : (f64, f64) -> f64
      loop.store %r, %y[%place] : f64
    }
  }
  func.return
}

// -----

// Of two sums, what the function is of is kept. Both loops are for threads.
// CHECK-LABEL: func.func @two_sums
// CHECK: loop.for %j = {{.*}} attributes {parallel = "automatic"} {
// CHECK: [[D:%[a-z0-9_]+]] = algebra.apply sub
// CHECK-NEXT: loop.store [[D]], %y[%j]
// CHECK: loop.for {{.*}} attributes {parallel = "automatic"} {
// CHECK-NEXT: [[KEPT:%[a-z0-9_]+]] = loop.load %y
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = algebra.apply tanh([[KEPT]])
// CHECK-NEXT: loop.store [[E]], %y
func.func @two_sums(%x: !loop.buffer<f32>, %y: !loop.buffer<f32>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f32
  loop.for %j = %0 to %n attributes {parallel = "automatic"} {
    %t = loop.cell %zero : f32
    %u = loop.cell %zero : f32
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f32
      loop.set %v, %t : f32
      loop.set %v, %u : f32
    }
    %a = loop.get %t : f32
    %b = loop.get %u : f32
    %d = algebra.apply sub(%a, %b) : (f32, f32) -> f32
    %e = algebra.apply tanh(%d) : (f32) -> f32
    loop.store %e, %y[%j] : f32
  }
  func.return
}

// -----

// The row is in a growable, as that of a block in a list of blocks.
// CHECK-LABEL: func.func @in_a_growable
// CHECK: loop.for %j =
// CHECK: loop.store {{%[a-z0-9_]+}}, %data
// CHECK: loop.for
// CHECK-NEXT: loop.load %data
// CHECK-NEXT: algebra.apply exp
func.func @in_a_growable(%x: !loop.buffer<f64>, %y: !loop.growable<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.reserve %y, %n : f64
  %data = loop.data %y : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %sum = loop.get %t : f64
    %e = algebra.apply exp(%sum) : (f64) -> f64
    loop.store %e, %data[%j] : f64
  }
  func.return
}
