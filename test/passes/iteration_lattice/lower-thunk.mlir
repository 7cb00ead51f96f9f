// RUN: irtensor-opt %s --split-input-file -p lower-thunk | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
!row = !storage.fiber<tensor<?x?xf64, #csr>, 1>
// The code of a thunk runs before the loop, with the positions of its fiber.
// CHECK-LABEL: func.func @fiber
// CHECK-NEXT: %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, {{.*}}> -> !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>
// CHECK-NEXT: %x = "test.op"(%p, %q) : (index, index) -> f64
// CHECK-NEXT: %run = iteration_lattice.run %x : f64 -> !iteration_lattice.looplet<f64>
// CHECK-NEXT: iteration_lattice.coiterate %p to %n over %run : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %x_1: f64):
// CHECK-NEXT:   "test.op"(%x_1) : (f64) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @fiber(%A: tensor<?x?xf64, #csr>, %p: index, %q: index, %n: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !row
  %nest = iteration_lattice.thunk %f : !row -> !iteration_lattice.looplet<f64> {
  ^bb0(%begin: index, %end: index):
    %x = "test.op"(%begin, %end) : (index, index) -> f64
    %run = iteration_lattice.run %x : f64 -> !iteration_lattice.looplet<f64>
    iteration_lattice.yield %run : !iteration_lattice.looplet<f64>
  }
  iteration_lattice.coiterate %p to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    "test.op"(%x) : (f64) -> ()
  }
  func.return
}

// -----

!root = !storage.fiber<tensor<?xf64>, 0>
// The root of a tensor is the single parent position 0.
// CHECK-LABEL: func.func @root
// CHECK-NEXT: %f = storage.root %x : tensor<?xf64>
// CHECK-NEXT: [[N0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: [[N1:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %v = "test.op"([[N0]], [[N1]]) : (index, index) -> f64
// CHECK-NEXT: %run = iteration_lattice.run %v : f64 -> !iteration_lattice.looplet<f64>
// CHECK-NEXT: iteration_lattice.coiterate %n to %n over %run : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %v_1: f64):
// CHECK-NEXT:   "test.op"(%v_1) : (f64) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @root(%x: tensor<?xf64>, %n: index) {
  %f = storage.root %x : tensor<?xf64>
  %nest = iteration_lattice.thunk %f : !root -> !iteration_lattice.looplet<f64> {
  ^bb0(%begin: index, %end: index):
    %v = "test.op"(%begin, %end) : (index, index) -> f64
    %run = iteration_lattice.run %v : f64 -> !iteration_lattice.looplet<f64>
    iteration_lattice.yield %run : !iteration_lattice.looplet<f64>
  }
  iteration_lattice.coiterate %n to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %v: f64):
    "test.op"(%v) : (f64) -> ()
  }
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed), fill = 2.0>
!row = !storage.fiber<tensor<?x?xf64, #csr>, 1>
// Over a fiber without stored entries it is a run of the fill value.
// CHECK-LABEL: func.func @fill
// CHECK-NEXT: %f = storage.fill_fiber : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>
// CHECK-NEXT: [[N0:%[a-z0-9_]+]] = algebra.constant absent 2.000000e+00 : f64
// CHECK-NEXT: [[N1:%[a-z0-9_]+]] = iteration_lattice.run [[N0]] : f64 -> !iteration_lattice.looplet<f64>
// CHECK-NEXT: iteration_lattice.coiterate %n to %n over [[N1]] : !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0(%i: index, %v: f64):
// CHECK-NEXT:   "test.op"(%v) : (f64) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @fill(%n: index) {
  %f = storage.fill_fiber : !row
  %nest = iteration_lattice.thunk %f : !row -> !iteration_lattice.looplet<f64> {
  ^bb0(%begin: index, %end: index):
    %v = "test.op"(%begin, %end) : (index, index) -> f64
    %run = iteration_lattice.run %v : f64 -> !iteration_lattice.looplet<f64>
    iteration_lattice.yield %run : !iteration_lattice.looplet<f64>
  }
  iteration_lattice.coiterate %n to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %v: f64):
    "test.op"(%v) : (f64) -> ()
  }
  func.return
}

// -----

#rows = #storage.format<(i, j) -> (i : compressed, j : dense)>
!row = !storage.fiber<tensor<?x?xf64, #rows>, 1>
// Of a fiber that may be absent, what is looked up is chosen by the condition; an absent one reads element 0.
// CHECK-LABEL: func.func @optional
// CHECK: [[BEGIN:%[a-z0-9_]+]] = arith.select %c, %p, {{.*}} : index
// CHECK: [[NEST:%[a-z0-9_]+]] = iteration_lattice.lookup !iteration_lattice.looplet<f64> {
// CHECK-NEXT: ^bb0([[I:%[a-z0-9_]+]]: index):
// CHECK-NEXT:   [[AT:%[a-z0-9_]+]] = arith.addi [[BEGIN]], [[I]] : index
// CHECK-NEXT:   [[SAFE:%[a-z0-9_]+]] = arith.select %c, [[AT]], [[ZERO:%[a-z0-9_]+]] : index
// CHECK-NEXT:   %x = loop.load %v{{.}}[[SAFE]]{{.}} : f64
// CHECK-NEXT:   [[ENTRY:%[a-z0-9_]+]] = iteration_lattice.run %x
// CHECK-NEXT:   [[GAP:%[a-z0-9_]+]] = iteration_lattice.run
// CHECK-NEXT:   [[CHOICE:%[a-z0-9_]+]] = iteration_lattice.switch %c, [[ENTRY]], [[GAP]]
// CHECK-NEXT:   iteration_lattice.yield [[CHOICE]]
// CHECK: iteration_lattice.coiterate %p to %n over [[NEST]]
func.func @optional(%A: tensor<?x?xf64, #rows>, %v: !loop.buffer<f64>, %p: index, %q: index, %n: index, %c: i1) {
  %row = storage.fiber %A[%p to %q] : tensor<?x?xf64, #rows> -> !row
  %f = storage.optional_fiber %c, %row : !row -> !row
  %nest = iteration_lattice.thunk %f : !row -> !iteration_lattice.looplet<f64> {
  ^bb0(%begin: index, %end: index):
    %lookup = iteration_lattice.lookup !iteration_lattice.looplet<f64> {
    ^bb0(%i: index):
      %at = arith.addi %begin, %i : index
      %x = loop.load %v[%at] : f64
      iteration_lattice.yield %x : f64
    }
    iteration_lattice.yield %lookup : !iteration_lattice.looplet<f64>
  }
  iteration_lattice.coiterate %p to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    "test.op"(%x) : (f64) -> ()
  }
  func.return
}
