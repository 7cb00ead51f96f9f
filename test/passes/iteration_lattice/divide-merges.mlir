// RUN: irtensor-opt %s --split-input-file -p divide-merges | filecheck %s

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// The work is what both store, in all levels. A part begins at the first coordinate before which there is its share of
// it: between the first and the last, which are the loop's own, that takes a search in each list for every halving.
// CHECK-LABEL: func.func @union
// CHECK: %parts = loop.parts [[WORK:%[a-z0-9_]+]]
// CHECK: loop.for %part = [[ZERO:%[a-z0-9_]+]] to %parts attributes {parallel = "automatic"} {
// CHECK:   [[FIRST:%[a-z0-9_]+]] = loop.cell %zero : index
// CHECK:   [[LAST:%[a-z0-9_]+]] = loop.cell %zero : index
// CHECK:   [[LOW:%[a-z0-9_]+]] = arith.select [[IS_LAST:%[a-z0-9_]+]], %n, %zero : index
// CHECK:   [[HIGH:%[a-z0-9_]+]] = arith.select [[IS_FIRST:%[a-z0-9_]+]], %zero, %n : index
// CHECK:   loop.while attributes {search
// CHECK:     loop.lower_bound {{.*}} : i64
// CHECK:     loop.lower_bound {{.*}} : i64
// CHECK:   [[LO:%[a-z0-9_]+]] = loop.get [[FIRST]] : index
// CHECK:   [[HI:%[a-z0-9_]+]] = loop.get [[LAST]] : index
// CHECK:   %a = iteration_lattice.unfurl %a_root
// CHECK:   %b = iteration_lattice.unfurl %b_root
// CHECK:   iteration_lattice.coiterate window [[LO]] to [[HI]] over %a, %b
// CHECK-NOT: parallel
// CHECK: func.return
func.func @union(%A: tensor<?x?xf64, #dcsr>, %B: tensor<?x?xf64, #coo>) {
  %n = storage.dim %A, 0 : tensor<?x?xf64, #dcsr>
  %zero = arith.constant 0 : index
  %a_root = storage.root %A : tensor<?x?xf64, #dcsr>
  %a = iteration_lattice.unfurl %a_root : !storage.fiber<tensor<?x?xf64, #dcsr>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>
  %b_root = storage.root %B : tensor<?x?xf64, #coo>
  %b = iteration_lattice.unfurl %b_root : !storage.fiber<tensor<?x?xf64, #coo>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>, !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>> {
  ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64, #dcsr>, 1>, %entries: !storage.fiber<tensor<?x?xf64, #coo>, 1>):
    "test.op"(%i, %row, %entries) : (index, !storage.fiber<tensor<?x?xf64, #dcsr>, 1>, !storage.fiber<tensor<?x?xf64, #coo>, 1>) -> ()
  } {parallel = "automatic"}
  func.return
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// Iterations of the same coordinate have to be in one part, so that one list is divided by coordinates as well.
// CHECK-LABEL: func.func @windows
// CHECK: loop.for %part = {{.*}} to %parts attributes {parallel = "automatic"} {
// CHECK:   iteration_lattice.coiterate window
// CHECK-NOT: windows
// CHECK: func.return
func.func @windows(%B: tensor<?x?xf64, #coo>) {
  %n = storage.dim %B, 0 : tensor<?x?xf64, #coo>
  %zero = arith.constant 0 : index
  %b_root = storage.root %B : tensor<?x?xf64, #coo>
  %b = iteration_lattice.unfurl %b_root : !storage.fiber<tensor<?x?xf64, #coo>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>>
  iteration_lattice.coiterate full %zero to %n over %b : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>> {
  ^bb0(%i: index, %entries: !storage.fiber<tensor<?x?xf64, #coo>, 1>):
    "test.op"(%i, %entries) : (index, !storage.fiber<tensor<?x?xf64, #coo>, 1>) -> ()
  } {parallel = "automatic", windows}
  func.return
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// To be run twice, a loop that is not parallel is put into one over a single part.
// CHECK-LABEL: func.func @counted
// CHECK: [[ONE:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK: loop.for %part = {{.*}} to [[ONE]] {
// CHECK:   iteration_lattice.coiterate window %zero to %n
func.func @counted(%B: tensor<?x?xf64, #coo>) {
  %C = storage.result counted : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
  %n = storage.dim %B, 0 : tensor<?x?xf64, #coo>
  %zero = arith.constant 0 : index
  %x = algebra.constant 1.0 : f64
  %c_root = storage.root %C : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
  %b_root = storage.root %B : tensor<?x?xf64, #coo>
  %b = iteration_lattice.unfurl %b_root : !storage.fiber<tensor<?x?xf64, #coo>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>>
  iteration_lattice.coiterate full %zero to %n over %b : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>> {
  ^bb0(%i: index, %entries: !storage.fiber<tensor<?x?xf64, #coo>, 1>):
    iteration_lattice.place %c_root at %i : !storage.fiber<tensor<?xf64, #storage.format<(i) -> (i : compressed)>>, 0> {
    ^bb1(%c: !storage.fiber<tensor<?xf64, #storage.format<(i) -> (i : compressed)>>, 1>):
      iteration_lattice.update %x into %c : f64, !storage.fiber<tensor<?xf64, #storage.format<(i) -> (i : compressed)>>, 1>
    }
  }
  func.return
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#rows = #storage.format<(i, j) -> (i : compressed, j : dense)>
// A loop along an extent is work for each entry, here of A and B, and for each coordinate where it is not inside of a
// merge; one over the places of what is stored, as the rows of D, is counted with that.
// CHECK-LABEL: func.func @extents
// CHECK: %r = storage.dim %X, 1
// CHECK: [[ROUNDED:%[a-z0-9_]+]] = arith.addi %r, {{.*}} : index
// CHECK: [[ITERATIONS:%[a-z0-9_]+]] = arith.divsi [[ROUNDED]], {{.*}} : index
// CHECK-NOT: arith.divsi
// CHECK: [[EACH:%[a-z0-9_]+]] = arith.maxsi {{.*}}, [[ITERATIONS]] : index
// CHECK: [[WORK:%[a-z0-9_]+]] = arith.muli {{.*}}, [[EACH]] : index
// CHECK: %parts = loop.parts
func.func @extents(%A: tensor<?x?xf64, #dcsr>, %D: tensor<?x?xf64, #rows>, %X: tensor<?x?xf64>) {
  %n = storage.dim %A, 0 : tensor<?x?xf64, #dcsr>
  %m = storage.dim %A, 1 : tensor<?x?xf64, #dcsr>
  %r = storage.dim %X, 1 : tensor<?x?xf64>
  %zero = arith.constant 0 : index
  %a_root = storage.root %A : tensor<?x?xf64, #dcsr>
  %a = iteration_lattice.unfurl %a_root : !storage.fiber<tensor<?x?xf64, #dcsr>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>
  %d_root = storage.root %D : tensor<?x?xf64, #rows>
  %d = iteration_lattice.unfurl %d_root : !storage.fiber<tensor<?x?xf64, #rows>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #rows>, 1>>
  iteration_lattice.coiterate full %zero to %n over %a, %d : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>, !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #rows>, 1>> {
  ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64, #dcsr>, 1>, %places: !storage.fiber<tensor<?x?xf64, #rows>, 1>):
    %entries = iteration_lattice.unfurl %row : !storage.fiber<tensor<?x?xf64, #dcsr>, 1> -> !iteration_lattice.looplet<f64>
    iteration_lattice.coiterate full %zero to %m over %entries : !iteration_lattice.looplet<f64> {
    ^bb1(%k: index, %v: f64):
      iteration_lattice.coiterate full %zero to %r {
      ^bb2(%x: index):
        "test.op"(%x, %v) : (index, f64) -> ()
      }
    }
    %stored = iteration_lattice.unfurl %places : !storage.fiber<tensor<?x?xf64, #rows>, 1> -> !iteration_lattice.looplet<f64>
    iteration_lattice.coiterate full %zero to %m over %stored : !iteration_lattice.looplet<f64> {
    ^bb3(%j: index, %w: f64):
      "test.op"(%j, %w) : (index, f64) -> ()
    }
  } {parallel = "automatic"}
  func.return
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// Lists in the levels below are searched alike, in the segment that the loop goes along.
// CHECK-LABEL: func.func @below
// CHECK:   loop.while attributes {search
// CHECK:     [[CRD:%[0-9a-z_]+]] = storage.array coordinates %A, 1
// CHECK:     loop.lower_bound [[CRD]][%p to %q], {{.*}} : i64
// CHECK:     loop.lower_bound {{.*}} : i64
// CHECK:   iteration_lattice.coiterate window
// CHECK: func.return
func.func @below(%A: tensor<?x?xf64, #coo>, %B: tensor<?x?xf64, #coo>, %p: index, %q: index) {
  %n = storage.dim %A, 1 : tensor<?x?xf64, #coo>
  %zero = arith.constant 0 : index
  %a_row = storage.fiber %A[%p to %q] : tensor<?x?xf64, #coo> -> !storage.fiber<tensor<?x?xf64, #coo>, 1>
  %a = iteration_lattice.unfurl %a_row : !storage.fiber<tensor<?x?xf64, #coo>, 1> -> !iteration_lattice.looplet<f64>
  %b_row = storage.fiber %B[%p to %q] : tensor<?x?xf64, #coo> -> !storage.fiber<tensor<?x?xf64, #coo>, 1>
  %b = iteration_lattice.unfurl %b_row : !storage.fiber<tensor<?x?xf64, #coo>, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%j: index, %x: f64, %y: f64):
    "test.op"(%j, %x, %y) : (index, f64, f64) -> ()
  } {parallel = "automatic"}
  func.return
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#tables = #storage.format<(i, j) -> (i : dense, j : map)>
// Entries of a table are numbered as they were inserted, so that what is before one of them is not known: only A and the
// rows of the workspace count.
// CHECK-LABEL: func.func @table
// CHECK-NOT: storage.array positions %w
// CHECK: loop.for %part = {{.*}} to %parts attributes {parallel = "automatic"} {
func.func @table(%A: tensor<?x?xf64, #dcsr>) {
  %n = storage.dim %A, 0 : tensor<?x?xf64, #dcsr>
  %m = storage.dim %A, 1 : tensor<?x?xf64, #dcsr>
  %zero = arith.constant 0 : index
  %w = storage.workspace(%n, %m) : tensor<?x?xf64, #tables>
  %a_root = storage.root %A : tensor<?x?xf64, #dcsr>
  %a = iteration_lattice.unfurl %a_root : !storage.fiber<tensor<?x?xf64, #dcsr>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>
  %w_root = storage.finalize %w : tensor<?x?xf64, #tables> -> !storage.fiber<tensor<?x?xf64, #tables>, 0>
  %b = iteration_lattice.unfurl %w_root : !storage.fiber<tensor<?x?xf64, #tables>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #tables>, 1>>
  iteration_lattice.coiterate full %zero to %n over %a, %b : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>, !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #tables>, 1>> {
  ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64, #dcsr>, 1>, %table: !storage.fiber<tensor<?x?xf64, #tables>, 1>):
    "test.op"(%i, %row, %table) : (index, !storage.fiber<tensor<?x?xf64, #dcsr>, 1>, !storage.fiber<tensor<?x?xf64, #tables>, 1>) -> ()
  } {parallel = "automatic", windows}
  func.return
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// Each of two loops over one description of a list has it inside of its windows.
// CHECK-LABEL: func.func @twice
// CHECK: loop.for %part
// CHECK: %[[FIRST:.*]] = iteration_lattice.unfurl
// CHECK: iteration_lattice.coiterate window %{{.*}} to %{{.*}} over %[[FIRST]]
// CHECK: loop.for %part
// CHECK: %[[SECOND:.*]] = iteration_lattice.unfurl
// CHECK: iteration_lattice.coiterate window %{{.*}} to %{{.*}} over %[[SECOND]]
func.func @twice(%A: tensor<?x?xf64, #dcsr>) {
  %n = storage.dim %A, 0 : tensor<?x?xf64, #dcsr>
  %zero = arith.constant 0 : index
  %root = storage.root %A : tensor<?x?xf64, #dcsr>
  %a = iteration_lattice.unfurl %root : !storage.fiber<tensor<?x?xf64, #dcsr>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>>
  iteration_lattice.coiterate full %zero to %n over %a : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>> {
  ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64, #dcsr>, 1>):
  } {parallel = "automatic", windows}
  iteration_lattice.coiterate full %zero to %n over %a : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #dcsr>, 1>> {
  ^bb1(%i: index, %row: !storage.fiber<tensor<?x?xf64, #dcsr>, 1>):
  } {parallel = "automatic", windows}
  func.return
}
