// RUN: irtensor-opt %s --split-input-file -p unfurl | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A compressed level: stored entries after gaps, then nothing; a cursor starts at the segment's begin.
// CHECK-LABEL: func.func @compressed
// CHECK: %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, {{.*}}> -> !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>
// CHECK: [[N0:%[a-z0-9_]+]] = iteration_lattice.thunk %f : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1> -> !iteration_lattice.looplet<f64> {
// CHECK: ^bb0([[N1:%[a-z0-9_]+]]: index, [[N2:%[a-z0-9_]+]]: index):
// CHECK:   [[N9:%[a-z0-9_]+]] = loop.cell [[N5:%[a-z0-9_]+]] : index
// CHECK:   [[N19:%[a-z0-9_]+]] = iteration_lattice.stepper [[N9]] to [[N7:%[a-z0-9_]+]] until [[N18:%[a-z0-9_]+]] : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
// CHECK:   ^bb0([[N20:%[a-z0-9_]+]]: index):
// CHECK:     iteration_lattice.yield [[N24:%[a-z0-9_]+]] : index
// CHECK:   ^bb0(%p_1: index, [[N25:%[a-z0-9_]+]]: index):
// CHECK:     [[N28:%[a-z0-9_]+]] = algebra.constant 0.000000e+00 : f64
// CHECK:     [[N29:%[a-z0-9_]+]] = iteration_lattice.spike [[N28]], [[N27:%[a-z0-9_]+]] : f64, f64 -> !iteration_lattice.looplet<f64>
// CHECK:     iteration_lattice.yield [[N29]] : !iteration_lattice.looplet<f64>
// CHECK:   [[N30:%[a-z0-9_]+]] = algebra.constant 0.000000e+00 : f64
// CHECK:   [[N31:%[a-z0-9_]+]] = iteration_lattice.run [[N30]] : f64 -> !iteration_lattice.looplet<f64>
// CHECK:   [[N32:%[a-z0-9_]+]] = iteration_lattice.sequence until [[N18]] nests [[N19]], [[N31]] : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> -> !iteration_lattice.looplet<f64>
// CHECK:   iteration_lattice.yield [[N32]] : !iteration_lattice.looplet<f64>
// CHECK: iteration_lattice.coiterate full %zero to %n over [[N0]] : !iteration_lattice.looplet<f64> {
// CHECK: ^bb0(%i: index, %x: f64):
// CHECK:   iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
func.func @compressed(%A: tensor<?x?xf64, #csr>, %s: !loop.cell<f64>, %p: index, %q: index, %n: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// A dense level: a lookup; the payload of an outer level is the fiber below.
// CHECK-LABEL: func.func @dense
// CHECK: [[N0:%[a-z0-9_]+]] = iteration_lattice.thunk %f : !storage.fiber<tensor<?x?xf64>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>> {
// CHECK: ^bb0([[N1:%[a-z0-9_]+]]: index, [[N2:%[a-z0-9_]+]]: index):
// CHECK:   [[N5:%[a-z0-9_]+]] = iteration_lattice.lookup !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>> {
// CHECK:   ^bb0([[N6:%[a-z0-9_]+]]: index):
// CHECK:     [[N10:%[a-z0-9_]+]] = storage.fiber %A[[[N7:%[a-z0-9_]+]] to [[N9:%[a-z0-9_]+]]] : tensor<?x?xf64> -> !storage.fiber<tensor<?x?xf64>, 1>
// CHECK:     iteration_lattice.yield [[N10]] : !storage.fiber<tensor<?x?xf64>, 1>
// CHECK:   iteration_lattice.yield [[N5]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>>
// CHECK: iteration_lattice.coiterate full %zero to %n over [[N0]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>> {
// CHECK: ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64>, 1>):
// CHECK:   "test.op"(%row) : (!storage.fiber<tensor<?x?xf64>, 1>) -> ()
func.func @dense(%A: tensor<?x?xf64>, %n: index) {
  %f = storage.root %A : tensor<?x?xf64>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %nest : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>> {
  ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64>, 1>):
    "test.op"(%row) : (!storage.fiber<tensor<?x?xf64>, 1>) -> ()
  }
  func.return
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// The entry of a nonunique level is a range of positions: a row with all that belongs to it.
// CHECK-LABEL: func.func @nonunique
// CHECK: [[N0:%[a-z0-9_]+]] = iteration_lattice.thunk %f : !storage.fiber<tensor<?x?xf64, {{.*}}>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>> {
// CHECK: ^bb0([[N1:%[a-z0-9_]+]]: index, [[N2:%[a-z0-9_]+]]: index):
// CHECK:   [[N9:%[a-z0-9_]+]] = loop.cell [[N5:%[a-z0-9_]+]] : index
// CHECK:   [[N19:%[a-z0-9_]+]] = iteration_lattice.stepper nonunique [[N9]] to [[N7:%[a-z0-9_]+]] until [[N18:%[a-z0-9_]+]] : !loop.cell<index> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>> load {
// CHECK:   ^bb0([[N20:%[a-z0-9_]+]]: index):
// CHECK:     iteration_lattice.yield [[N24:%[a-z0-9_]+]] : index
// CHECK:   ^bb0(%p: index, [[N25:%[a-z0-9_]+]]: index):
// CHECK:     [[N26:%[a-z0-9_]+]] = storage.fiber %A[%p to [[N25]]] : tensor<?x?xf64, {{.*}}> -> !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>
// CHECK:     [[N27:%[a-z0-9_]+]] = storage.fill_fiber : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>
// CHECK:     [[N28:%[a-z0-9_]+]] = iteration_lattice.spike [[N27]], [[N26]] : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>, !storage.fiber<tensor<?x?xf64, {{.*}}>, 1> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>>
// CHECK:     iteration_lattice.yield [[N28]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>>
// CHECK:   [[N29:%[a-z0-9_]+]] = storage.fill_fiber : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>
// CHECK:   [[N30:%[a-z0-9_]+]] = iteration_lattice.run [[N29]] : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>>
// CHECK:   [[N31:%[a-z0-9_]+]] = iteration_lattice.sequence until [[N18]] nests [[N19]], [[N30]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>>, !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>>
// CHECK:   iteration_lattice.yield [[N31]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>>
// CHECK: iteration_lattice.coiterate full %zero to %n over [[N0]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>> {
// CHECK: ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>):
// CHECK:   "test.op"(%row) : (!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>) -> ()
func.func @nonunique(%A: tensor<?x?xf64, #coo>, %n: index) {
  %f = storage.root %A : tensor<?x?xf64, #coo>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #coo>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %nest : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, #coo>, 1>> {
  ^bb0(%i: index, %row: !storage.fiber<tensor<?x?xf64, #coo>, 1>):
    "test.op"(%row) : (!storage.fiber<tensor<?x?xf64, #coo>, 1>) -> ()
  }
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed), fill = 7.0>
// At a single coordinate a sorted level is searched; where nothing is stored, the payload is the fill value.
// CHECK-LABEL: func.func @search
// CHECK: %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, {{.*}}> -> !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>
// CHECK: [[N0:%[a-z0-9_]+]] = iteration_lattice.thunk %f : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1> -> !iteration_lattice.looplet<f64> {
// CHECK: ^bb0([[N1:%[a-z0-9_]+]]: index, [[N2:%[a-z0-9_]+]]: index):
// CHECK:   [[N9:%[a-z0-9_]+]] = loop.lower_bound [[N8:%[a-z0-9_]+]][[[N5:%[a-z0-9_]+]] to [[N7:%[a-z0-9_]+]]], %at : i64
// CHECK:   [[N21:%[a-z0-9_]+]] = iteration_lattice.run [[N20:%[a-z0-9_]+]] : f64 -> !iteration_lattice.looplet<f64>
// CHECK:   [[N22:%[a-z0-9_]+]] = algebra.constant 7.000000e+00 : f64
// CHECK:   [[N23:%[a-z0-9_]+]] = iteration_lattice.run [[N22]] : f64 -> !iteration_lattice.looplet<f64>
// CHECK:   [[N24:%[a-z0-9_]+]] = iteration_lattice.switch [[N18:%[a-z0-9_]+]], [[N21]], [[N23]] : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> -> !iteration_lattice.looplet<f64>
// CHECK:   iteration_lattice.yield [[N24]] : !iteration_lattice.looplet<f64>
// CHECK: iteration_lattice.coiterate unit %at to %after over [[N0]] : !iteration_lattice.looplet<f64> {
// CHECK: ^bb0(%i: index, %x: f64):
// CHECK:   iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
func.func @search(%A: tensor<?x?xf64, #csr>, %s: !loop.cell<f64>, %p: index, %q: index, %at: index, %after: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate unit %at to %after over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#flagged = #storage.format<(i) -> (i : bitmap)>
// A bitmap level: a lookup in which a flag chooses between the entry and the fill value.
// CHECK-LABEL: func.func @bitmap
// CHECK: iteration_lattice.thunk %f : {{.*}} -> !iteration_lattice.looplet<f64> {
// CHECK:   [[FLAGS:%[a-z0-9_]+]] = storage.array flags %x, 0
// CHECK:   iteration_lattice.lookup !iteration_lattice.looplet<f64> {
// CHECK:     [[STORED:%[a-z0-9_]+]] = loop.load [[FLAGS]][[[P:%[a-z0-9_]+]]] : i1
// CHECK:     [[VALUES:%[a-z0-9_]+]] = storage.values %x
// CHECK:     [[VALUE:%[a-z0-9_]+]] = loop.load [[VALUES]][[[P]]] : f64
// CHECK:     [[ENTRY:%[a-z0-9_]+]] = iteration_lattice.run [[VALUE]]
// CHECK:     [[FILL:%[a-z0-9_]+]] = algebra.constant 0.000000e+00 : f64
// CHECK:     [[REST:%[a-z0-9_]+]] = iteration_lattice.run [[FILL]]
// CHECK:     [[NEST:%[a-z0-9_]+]] = iteration_lattice.switch [[STORED]], [[ENTRY]], [[REST]]
// CHECK:     iteration_lattice.yield [[NEST]] : !iteration_lattice.looplet<f64>
func.func @bitmap(%x: tensor<?xf64, #flagged>, %s: !loop.cell<f64>, %n: index) {
  %f = storage.root %x : tensor<?xf64, #flagged>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?xf64, #flagged>, 0> -> !iteration_lattice.looplet<f64>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %v: f64):
    iteration_lattice.update add %v into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Over a window a list is entered and left by a search; then no stored entry lies behind the loop's end.
// CHECK-LABEL: func.func @window
// CHECK:   [[BEGIN:%[a-z0-9_]+]] = loop.lower_bound %{{.*}}[%{{.*}} to %{{.*}}], %lo
// CHECK:   [[END:%[a-z0-9_]+]] = loop.lower_bound %{{.*}}{{\[}}[[BEGIN]] to {{.*}}], %hi
// CHECK:   [[CURSOR:%[a-z0-9_]+]] = loop.cell [[BEGIN]] : index
// CHECK:   iteration_lattice.stepper [[CURSOR]] to [[END]] until
// CHECK: iteration_lattice.coiterate full entered %lo to %hi over
// CHECK: } {unroll = 2 : i64}
func.func @window(%A: tensor<?x?xf64, #csr>, %s: !loop.cell<f64>, %p: index, %q: index, %lo: index, %hi: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate window %lo to %hi over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  } {unroll = 2 : i64}
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#sparse = #storage.format<(i) -> (i : compressed)>
// All of x comes again in each iteration of the loop around: the row, which changes, is not to be compared with all of it.
// CHECK-LABEL: func.func @comes_again
// CHECK-COUNT-2: iteration_lattice.jumper
// CHECK-NOT: iteration_lattice.stepper
func.func @comes_again(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64, #sparse>, %s: !loop.cell<f64>, %m: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %g = storage.root %x : tensor<?xf64, #sparse>
  loop.for %i = %zero to %m {
    %next = arith.addi %i, %one : index
    %f = storage.fiber %A[%i to %next] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
    %row = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
    %all = iteration_lattice.unfurl %g : !storage.fiber<tensor<?xf64, #sparse>, 0> -> !iteration_lattice.looplet<f64>
    iteration_lattice.coiterate full %zero to %n over %row, %all : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
    ^bb0(%j: index, %a: f64, %b: f64):
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
    }
  }
  func.return
}

// -----

#sparse = #storage.format<(i) -> (i : compressed)>
// Each of the two is gone through once.
// CHECK-LABEL: func.func @once
// CHECK-COUNT-2: iteration_lattice.stepper
// CHECK-NOT: iteration_lattice.jumper
func.func @once(%x: tensor<?xf64, #sparse>, %y: tensor<?xf64, #sparse>, %s: !loop.cell<f64>, %n: index) {
  %zero = arith.constant 0 : index
  %f = storage.root %x : tensor<?xf64, #sparse>
  %g = storage.root %y : tensor<?xf64, #sparse>
  %u = iteration_lattice.unfurl %f : !storage.fiber<tensor<?xf64, #sparse>, 0> -> !iteration_lattice.looplet<f64>
  %v = iteration_lattice.unfurl %g : !storage.fiber<tensor<?xf64, #sparse>, 0> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate full %zero to %n over %u, %v : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %a: f64, %b: f64):
    %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
// A hashed level whose entries alone matter: all slots, in no order, of which empty ones are left out.
// CHECK-LABEL: func.func @hashed_alone
// CHECK: iteration_lattice.thunk %f : {{.*}} -> !iteration_lattice.looplet<f64> {
// CHECK:   [[POS:%[a-z0-9_]+]] = storage.array positions %x, 0
// CHECK:   [[LOADED:%[a-z0-9_]+]] = loop.load [[POS]]
// CHECK:   [[WIDTH:%[a-z0-9_]+]] = arith.index_cast [[LOADED]]
// CHECK:   [[BEGIN:%[a-z0-9_]+]] = arith.muli %{{[a-z0-9_]+}}, [[WIDTH]]
// CHECK:   [[END:%[a-z0-9_]+]] = arith.muli %{{[a-z0-9_]+}}, [[WIDTH]]
// CHECK:   [[STOP:%[a-z0-9_]+]] = storage.dim %x, 0
// CHECK:   iteration_lattice.stepper nonordered holes %{{[a-z0-9_]+}} to [[END]] until [[STOP]]
func.func @hashed_alone(%x: tensor<?xf64, #table>, %s: !loop.cell<f64>, %n: index) {
  %f = storage.root %x : tensor<?xf64, #table>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?xf64, #table>, 0> -> !iteration_lattice.looplet<f64>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %v: f64):
    iteration_lattice.update add %v into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#table = #storage.format<(i) -> (i : hashed)>
#list = #storage.format<(i) -> (i : compressed)>
// In a product with a list it is looked up: by probing, from the coordinate modulo the number of slots.
// CHECK-LABEL: func.func @hashed_in_a_product
// CHECK: iteration_lattice.thunk %f
// CHECK:   iteration_lattice.lookup !iteration_lattice.looplet<f64> {
// CHECK:   ^bb0([[I:%[a-z0-9_]+]]: index):
// CHECK:     [[HOME:%[a-z0-9_]+]] = arith.remui [[I]]
// CHECK:     loop.while
// CHECK:     [[FOUND:%[a-z0-9_]+]] = arith.cmpi eq, %{{[a-z0-9_]+}}, [[I]] : index
// CHECK:     iteration_lattice.switch [[FOUND]]
func.func @hashed_in_a_product(%x: tensor<?xf64, #table>, %y: tensor<?xf64, #list>, %s: !loop.cell<f64>, %n: index) {
  %f = storage.root %x : tensor<?xf64, #table>
  %g = storage.root %y : tensor<?xf64, #list>
  %left = iteration_lattice.unfurl %f : !storage.fiber<tensor<?xf64, #table>, 0> -> !iteration_lattice.looplet<f64>
  %right = iteration_lattice.unfurl %g : !storage.fiber<tensor<?xf64, #list>, 0> -> !iteration_lattice.looplet<f64>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %left, %right : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %v: f64, %w: f64):
    %p = algebra.apply mul(%v, %w) : (f64, f64) -> f64
    iteration_lattice.update add %p into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#ell = #storage.format<(i, j) -> (i : dense, j : padded)>
// A padded level: a list that ends where the padding, which holds the extent, begins.
// CHECK-LABEL: func.func @padded
// CHECK: iteration_lattice.thunk %f
// CHECK:   [[BEGIN:%[a-z0-9_]+]] = arith.muli %{{[a-z0-9_]+}}, [[WIDTH:%[a-z0-9_]+]] : index
// CHECK:   [[END:%[a-z0-9_]+]] = arith.muli %{{[a-z0-9_]+}}, [[WIDTH]] : index
// CHECK:   [[CRD:%[a-z0-9_]+]] = storage.array coordinates %A, 1
// CHECK:   [[N:%[a-z0-9_]+]] = storage.dim %A, 1
// CHECK:   [[LAST:%[a-z0-9_]+]] = loop.lower_bound [[CRD]]{{.*}}[[BEGIN]] to [[END]]{{.*}}[[N]]
// CHECK:   iteration_lattice.stepper %{{[a-z0-9_]+}} to [[LAST]]
func.func @padded(%A: tensor<?x?xf64, #ell>, %s: !loop.cell<f64>, %p: index, %q: index, %n: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #ell> -> !storage.fiber<tensor<?x?xf64, #ell>, 1>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #ell>, 1> -> !iteration_lattice.looplet<f64>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#maps = #storage.format<(i, j) -> (i : map, j : map)>
// A map: what is listed for the parents [begin, end), which is nothing where a merge has chosen no parent.
// CHECK-LABEL: func.func @map
// CHECK: iteration_lattice.thunk %f : {{.*}} {
// CHECK: ^bb0([[BEGIN:%[a-z0-9_]+]]: index, [[END:%[a-z0-9_]+]]: index):
// CHECK:   [[POSITIONS:%[a-z0-9_]+]] = storage.array positions %w, 1
// CHECK-NEXT: loop.load [[POSITIONS]][[[BEGIN]]] : i64
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: loop.load [[POSITIONS]][[[END]]] : i64
func.func @map(%s: !loop.cell<f64>, %p: index, %q: index, %n: index) {
  %w = storage.workspace(%n, %n) : tensor<?x?xf64, #maps>
  %f = storage.fiber %w[%p to %q] : tensor<?x?xf64, #maps> -> !storage.fiber<tensor<?x?xf64, #maps>, 1>
  %nest = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #maps>, 1> -> !iteration_lattice.looplet<f64>
  %zero = arith.constant 0 : index
  iteration_lattice.coiterate full %zero to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%j: index, %v: f64):
    iteration_lattice.update add %v into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A window from an entry of the fiber to another is one from position to position: nothing is searched. Of a
// coordinate of which that is not said, the position may be another fiber's.
// CHECK-LABEL: func.func @own_entries
// CHECK:      iteration_lattice.thunk %f
// CHECK-NEXT: ^bb0([[BEGIN:%[a-z0-9_]+]]: index, [[END:%[a-z0-9_]+]]: index):
// CHECK-NOT:    loop.lower_bound
// CHECK:        [[FIRST:%[a-z0-9_]+]] = arith.select %c, %k, %{{[a-z0-9_]+}} : index
// CHECK-NOT:    loop.lower_bound
// CHECK:        loop.cell [[FIRST]] : index
// CHECK:      iteration_lattice.thunk %f
// CHECK:        loop.lower_bound
// CHECK:        loop.lower_bound
func.func @own_entries(%A: tensor<?x?xf64, #csr>, %s: !loop.cell<f64>, %p: index, %q: index, %k: index, %m: index, %c: i1) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %zero = arith.constant 0 : index
  %crd = storage.array coordinates %A, 1 : tensor<?x?xf64, #csr>
  %n = storage.dim %A, 1 : tensor<?x?xf64, #csr>
  %first = loop.load %crd[%k] : i64
  %after = loop.load %crd[%m] : i64
  %from = arith.index_cast %first : i64 to index
  %to = arith.index_cast %after : i64 to index
  %lo = arith.select %c, %from, %zero : index
  %hi = arith.minsi %n, %to : index
  %nest = iteration_lattice.unfurl by_entries %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate window %lo to %hi over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  %other = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate window %lo to %hi over %other : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The first block has the entry of number 0: it begins there like any other.
// CHECK-LABEL: func.func @numbered
// CHECK:      iteration_lattice.thunk %f
// CHECK:      ^bb0
// CHECK-NOT:    arith.select
// CHECK:        [[FIRST:%[a-z0-9_]+]] = arith.minsi %position, %{{[a-z0-9_]+}} : index
// CHECK:        loop.cell [[FIRST]] : index
func.func @numbered(%A: tensor<?x?xf64, #csr>, %s: !loop.cell<f64>, %p: index, %q: index, %begin: index, %end: index, %b: index, %z: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %zero = arith.constant 0 : index
  %size = arith.constant 16 : index
  %crd = storage.array coordinates %A, 1 : tensor<?x?xf64, #csr>
  %n = storage.dim %A, 1 : tensor<?x?xf64, #csr>
  %number = arith.muli %b, %size : index
  %position = arith.addi %begin, %number : index
  %exists = arith.cmpi slt, %position, %end : index
  %safe = arith.select %exists, %position, %zero : index
  %load = loop.load %crd[%safe] : i64
  %cast = arith.index_cast %load : i64 to index
  %coordinate = arith.select %exists, %cast, %n : index
  %is_first = algebra.apply eq(%b, %zero) : (index, index) -> i1
  %lo = arith.select %is_first, %zero, %coordinate : index
  %nest = iteration_lattice.unfurl by_entries %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate window %lo to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// What another number says of the first block is asked.
// CHECK-LABEL: func.func @another_number
// CHECK:      iteration_lattice.thunk %f
// CHECK:      ^bb0
// CHECK:        [[FIRST:%[a-z0-9_]+]] = arith.select %is_first, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : index
// CHECK:        loop.cell [[FIRST]] : index
func.func @another_number(%A: tensor<?x?xf64, #csr>, %s: !loop.cell<f64>, %p: index, %q: index, %begin: index, %end: index, %b: index, %z: index) {
  %f = storage.fiber %A[%p to %q] : tensor<?x?xf64, #csr> -> !storage.fiber<tensor<?x?xf64, #csr>, 1>
  %zero = arith.constant 0 : index
  %size = arith.constant 16 : index
  %crd = storage.array coordinates %A, 1 : tensor<?x?xf64, #csr>
  %n = storage.dim %A, 1 : tensor<?x?xf64, #csr>
  %number = arith.muli %b, %size : index
  %position = arith.addi %begin, %number : index
  %exists = arith.cmpi slt, %position, %end : index
  %safe = arith.select %exists, %position, %zero : index
  %load = loop.load %crd[%safe] : i64
  %cast = arith.index_cast %load : i64 to index
  %coordinate = arith.select %exists, %cast, %n : index
  %is_first = algebra.apply eq(%z, %zero) : (index, index) -> i1
  %lo = arith.select %is_first, %zero, %coordinate : index
  %nest = iteration_lattice.unfurl by_entries %f : !storage.fiber<tensor<?x?xf64, #csr>, 1> -> !iteration_lattice.looplet<f64>
  iteration_lattice.coiterate window %lo to %n over %nest : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f64):
    iteration_lattice.update add %x into %s : f64, !loop.cell<f64>
  }
  func.return
}
