// RUN: irtensor-opt %s --split-input-file -p lower-sequence | filecheck %s

!nest = !iteration_lattice.looplet<f64>
// The end of a mask may be inside a gap of the list: so the list is not known to end with the loop.
// CHECK-LABEL: func.func @masked_list
// CHECK: [[END:%[a-z0-9_]+]] = arith.minsi %{{.*}}, %last : index
// CHECK-NOT: live
// CHECK: func.return
func.func @masked_list(%crd: !loop.buffer<index>, %val: !loop.buffer<f64>, %e: index, %s: index, %last: index, %n: index, %t: !loop.cell<f64>) {
  %origin = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  %gap = iteration_lattice.run %zero : f64 -> !nest
  %all = iteration_lattice.run %one : f64 -> !nest
  %q = loop.cell %origin : index
  %list = iteration_lattice.stepper %q to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %x = loop.load %crd[%p] : index
    iteration_lattice.yield %x : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %g = algebra.constant 0.0 : f64
    %v = loop.load %val[%p] : f64
    %r = iteration_lattice.spike %g, %v : f64, f64 -> !nest
    iteration_lattice.yield %r : !nest
  }
  %a = iteration_lattice.sequence until %s nests %list, %gap : !nest, !nest -> !nest
  %m = iteration_lattice.sequence until %last nests %all, %gap : !nest, !nest -> !nest
  iteration_lattice.coiterate full %origin to %n over %a, %m : !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// The first phase of the mask passes over the list, whose cursor then moves to where the second one begins.
// CHECK-LABEL: func.func @late_list
// CHECK: iteration_lattice.point %c to %s phases ["stored", "gap"]
// CHECK: ^bb0([[LO:%[a-z0-9_]+]]: index, [[HI:%[a-z0-9_]+]]: index):
// CHECK:   [[POSITION:%[a-z0-9_]+]] = loop.get %q : index
// CHECK:   loop.while
// CHECK:   loop.set %{{.*}}, %q : index
// CHECK:   iteration_lattice.coiterate entered [[LO]] to [[HI]] over %list
func.func @late_list(%crd: !loop.buffer<index>, %val: !loop.buffer<f64>, %e: index, %s: index, %first: index, %n: index, %t: !loop.cell<f64>) {
  %origin = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  %gap = iteration_lattice.run %zero : f64 -> !nest
  %all = iteration_lattice.run %one : f64 -> !nest
  %q = loop.cell %origin : index
  %list = iteration_lattice.stepper %q to %e until %s : !loop.cell<index> -> !nest load {
  ^bb0(%p: index):
    %x = loop.load %crd[%p] : index
    iteration_lattice.yield %x : index
  } chunk {
  ^bb0(%p: index, %after: index):
    %g = algebra.constant 0.0 : f64
    %v = loop.load %val[%p] : f64
    %r = iteration_lattice.spike %g, %v : f64, f64 -> !nest
    iteration_lattice.yield %r : !nest
  }
  %a = iteration_lattice.sequence until %s nests %list, %gap : !nest, !nest -> !nest
  %m = iteration_lattice.sequence until %first nests %gap, %all : !nest, !nest -> !nest
  iteration_lattice.coiterate full %origin to %n over %a, %m : !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

!nest = !iteration_lattice.looplet<f64>
// A spike that the end of another nest may cut says where its own end is.
// CHECK-LABEL: func.func @cut_spike
// CHECK: iteration_lattice.point %c to %{{.*}} phases ["part", "gap"]
// CHECK:   [[LAST:%[a-z0-9_]+]] = arith.subi %n, %{{.*}} : index
// CHECK:   [[END:%[a-z0-9_]+]] = arith.minsi %{{.*}}, [[LAST]] : index
// CHECK:   iteration_lattice.point %{{.*}} to [[END]] phases ["gap"]
// CHECK:   iteration_lattice.point %{{.*}} to %{{.*}} phases ["gap"]
// CHECK: iteration_lattice.point %c to %n phases ["part", "gap"]
// CHECK:   iteration_lattice.coiterate %{{.*}} to %{{.*}} over %entry
func.func @cut_spike(%v: f64, %w: f64, %first: index, %n: index, %t: !loop.cell<f64>) {
  %origin = arith.constant 0 : index
  %one = algebra.constant 1.0 : f64
  %all = iteration_lattice.run %one : f64 -> !nest
  %other = iteration_lattice.run %w : f64 -> !nest
  %entry = iteration_lattice.spike %w, %v : f64, f64 -> !nest
  %m = iteration_lattice.sequence until %first nests %other, %all : !nest, !nest -> !nest
  iteration_lattice.coiterate full %origin to %n over %entry, %m : !nest, !nest {
  ^bb0(%i: index, %x: f64, %y: f64):
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
  }
  func.return
}
