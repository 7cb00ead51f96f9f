// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
!rows = !storage.fiber<tensor<?x?xf64, #csr>, 0>
!row = !storage.fiber<tensor<?x?xf64, #csr>, 1>
!entry = !storage.fiber<tensor<?x?xf64, #csr>, 2>
!of_value = !iteration_lattice.looplet<f64>

// CHECK-LABEL: func.func @looplets
func.func @looplets(%r: !rows, %f: !row, %c: i1, %n: index, %x: f64, %q: !loop.cell<index>) {
  // The payload of an outer level is a fiber, that of the last level an element.
  // CHECK: iteration_lattice.unfurl %r : !storage.fiber<tensor<{{.*}}>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<{{.*}}>, 1>>
  %outer = iteration_lattice.unfurl %r : !rows -> !iteration_lattice.looplet<!row>
  // CHECK: %inner = iteration_lattice.unfurl %f : !storage.fiber<{{.*}}> -> !iteration_lattice.looplet<f64>
  %inner = iteration_lattice.unfurl %f : !row -> !of_value
  // CHECK: %own = iteration_lattice.unfurl by_entries %f : !storage.fiber<{{.*}}> -> !iteration_lattice.looplet<f64>
  %own = iteration_lattice.unfurl by_entries %f : !row -> !of_value
  // CHECK: %run = iteration_lattice.run %x : f64 -> !iteration_lattice.looplet<f64>
  %run = iteration_lattice.run %x : f64 -> !of_value
  // CHECK: %lookup = iteration_lattice.lookup !iteration_lattice.looplet<f64> {
  // CHECK-NEXT: ^bb0(%i: index):
  // CHECK-NEXT: iteration_lattice.yield %x : f64
  %lookup = iteration_lattice.lookup !of_value {
  ^bb0(%i: index):
    iteration_lattice.yield %x : f64
  }
  // CHECK: %spike = iteration_lattice.spike %x, %x : f64, f64 -> !iteration_lattice.looplet<f64>
  %spike = iteration_lattice.spike %x, %x : f64, f64 -> !of_value
  // CHECK-NEXT: %switch = iteration_lattice.switch %c, %run, %lookup : {{.*}}, {{.*}} -> !iteration_lattice.looplet<f64>
  %switch = iteration_lattice.switch %c, %run, %lookup : !of_value, !of_value -> !of_value
  // CHECK-NEXT: %sequence = iteration_lattice.sequence until %n nests %spike, %run : {{.*}} -> !iteration_lattice.looplet<f64>
  %sequence = iteration_lattice.sequence until %n nests %spike, %run : !of_value, !of_value -> !of_value
  // CHECK: %stepper = iteration_lattice.stepper %q to %n until %n : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
  // CHECK: } chunk {
  %stepper = iteration_lattice.stepper %q to %n until %n : !loop.cell<index> -> !of_value load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } chunk {
  ^bb0(%p: index, %after: index):
    iteration_lattice.yield %spike : !of_value
  }
  // CHECK: iteration_lattice.jumper nonunique nonordered %q to %n until %n
  %jumper = iteration_lattice.jumper nonunique nonordered %q to %n until %n : !loop.cell<index> -> !of_value load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } chunk {
  ^bb0(%p: index, %after: index):
    iteration_lattice.yield %spike : !of_value
  }
  // CHECK: iteration_lattice.thunk %f : !storage.fiber<{{.*}}> -> !iteration_lattice.looplet<f64> {
  // CHECK-NEXT: ^bb0(%begin: index, %end: index):
  // CHECK-NEXT: iteration_lattice.yield %stepper : !iteration_lattice.looplet<f64>
  %thunk = iteration_lattice.thunk %f : !row -> !of_value {
  ^bb0(%begin: index, %end: index):
    iteration_lattice.yield %stepper : !of_value
  }
  func.return
}

// CHECK-LABEL: func.func @products
func.func @products(%a: !of_value, %b: !of_value, %f: !row, %s: !loop.cell<f64>, %lo: index, %hi: index) {
  // CHECK-NEXT: iteration_lattice.coiterate full %lo to %hi over %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> live [0, 1] {
  // CHECK-NEXT: ^bb0(%i: index, %x: f64, %y: f64):
  iteration_lattice.coiterate full %lo to %hi over %a, %b : !of_value, !of_value live [0, 1] {
  ^bb0(%i: index, %x: f64, %y: f64):
    // CHECK-NEXT: iteration_lattice.place %f at %i : !storage.fiber<{{.*}}, 1> {
    // CHECK-NEXT: ^bb0(%o: !storage.fiber<{{.*}}, 2>):
    iteration_lattice.place %f at %i : !row {
    ^bb0(%o: !entry):
      // CHECK-NEXT: iteration_lattice.update %x into %o : f64, !storage.fiber<{{.*}}, 2>
      iteration_lattice.update %x into %o : f64, !entry
      // CHECK-NEXT: iteration_lattice.update add %y into %o : f64, !storage.fiber<{{.*}}, 2>
      iteration_lattice.update add %y into %o : f64, !entry
      // CHECK-NEXT: iteration_lattice.update add %y into %o races "atomics" : f64, !storage.fiber<{{.*}}, 2>
      iteration_lattice.update add %y into %o races "atomics" : f64, !entry
    }
    // CHECK: iteration_lattice.update @larger %x into %s : f64, !loop.cell<f64>
    iteration_lattice.update @larger %x into %s : f64, !loop.cell<f64>
  }
  // CHECK: iteration_lattice.coiterate unit %lo to %hi {
  iteration_lattice.coiterate unit %lo to %hi {
  ^bb0(%i: index):
  }
  func.return
}

#runs = #storage.format<(i) -> (i : sparse_run_list)>
!runs = !storage.fiber<tensor<?xf64, #runs>, 0>
!run = !storage.fiber<tensor<?xf64, #runs>, 1>
// CHECK-LABEL: func.func @ranges
func.func @ranges(%f: !runs, %x: f64, %lo: index, %hi: index) {
  // CHECK-NEXT: iteration_lattice.place %f at %lo until %hi : !storage.fiber<{{.*}}, 0> {
  iteration_lattice.place %f at %lo until %hi : !runs {
  ^bb0(%o: !run):
    iteration_lattice.update %x into %o : f64, !run
  }
  func.return
}

algebra.operator @larger(%a: f64, %b: f64) -> f64 attributes {associative, commutative, identity = 0.0 : f64} {
  %s = algebra.apply max(%a, %b) : (f64, f64) -> f64
  algebra.yield %s : f64
}

// CHECK-LABEL: func.func @loops
func.func @loops(%lo: index, %hi: index, %flag: i1, %now: !loop.cell<index>, %q: !loop.cell<index>, %r: !loop.cell<index>) {
  // CHECK: iteration_lattice.if %flag {
  // CHECK-NEXT: } else {
  iteration_lattice.if %flag {
  } else {
  }
  // CHECK: iteration_lattice.point %now to %hi phases ["stored", "gap"] : !loop.cell<index> {
  // CHECK-NEXT: ^bb0(%begin: index, %end: index):
  iteration_lattice.point %now to %hi phases ["stored", "gap"] : !loop.cell<index> {
  ^bb0(%begin: index, %end: index):
    // CHECK-NEXT: iteration_lattice.walk %begin to %end {
    // CHECK-NEXT: ^bb0(%p: index):
    iteration_lattice.walk %begin to %end {
    ^bb0(%p: index):
    }
  }
  // CHECK: iteration_lattice.merge cases %lo to %hi cursors %q, %r to %hi, %hi : !loop.cell<index>, !loop.cell<index> sentinel [1] nonunique [] cut load {
  // CHECK: } cases {{\[\[}}0, 1], [0]] {
  // CHECK-NEXT: ^bb0(%c: index, %e: index, %{{.*}}: index, %{{.*}}: index, %a0: index, %a1: index):
  // CHECK-NEXT: } {
  iteration_lattice.merge cases %lo to %hi cursors %q, %r to %hi, %hi : !loop.cell<index>, !loop.cell<index> sentinel [1] nonunique [] cut load {
  ^bb0(%p0: index, %p1: index):
    iteration_lattice.yield %p0, %p1 : index, index
  } cases [[0, 1], [0]] {
  ^bb0(%c: index, %e: index, %p0: index, %p1: index, %a0: index, %a1: index):
  } {
  ^bb0(%c: index, %e: index, %p0: index, %p1: index, %a0: index, %a1: index):
  }
  // CHECK: iteration_lattice.merge select %lo to %hi cursors %q, %r to %hi, %hi : !loop.cell<index>, !loop.cell<index> sentinel [] nonunique [0] load {
  // CHECK: } cases {{\[\[}}0], [1]] {
  // CHECK-NEXT: ^bb0({{.*}}, %is0: i1, %is1: i1):
  iteration_lattice.merge select %lo to %hi cursors %q, %r to %hi, %hi : !loop.cell<index>, !loop.cell<index> sentinel [] nonunique [0] load {
  ^bb0(%p0: index, %p1: index):
    iteration_lattice.yield %p0, %p1 : index, index
  } cases [[0], [1]] {
  ^bb0(%c: index, %e: index, %p0: index, %p1: index, %a0: index, %a1: index, %is0: i1, %is1: i1):
  }
  func.return
}

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK-LABEL: func.func @entries
func.func @entries(%f: !storage.fiber<tensor<?x?xf64, #rows>, 0>, %k: index, %n: index, %m: index) {
  // CHECK-NEXT: %count = iteration_lattice.entry_count %f levels 2 : !storage.fiber<
  %count = iteration_lattice.entry_count %f levels 2 : !storage.fiber<tensor<?x?xf64, #rows>, 0>
  // CHECK-NEXT: %above = iteration_lattice.entry_count %f before %k levels 1 : !storage.fiber<
  %above = iteration_lattice.entry_count %f before %k levels 1 : !storage.fiber<tensor<?x?xf64, #rows>, 0>
  // CHECK-NEXT: %behind = iteration_lattice.entry_count %f before %k, %n levels 2 : !storage.fiber<
  %behind = iteration_lattice.entry_count %f before %k, %n levels 2 : !storage.fiber<tensor<?x?xf64, #rows>, 0>
  // CHECK-NEXT: %i, %j = iteration_lattice.entry %f, %k past %n, %m : !storage.fiber<
  %i, %j = iteration_lattice.entry %f, %k past %n, %m : !storage.fiber<tensor<?x?xf64, #rows>, 0>
  // CHECK-NEXT: %r, %c = iteration_lattice.entry %f, %k past %n, %m between %i, %n : !storage.fiber<
  %r, %c = iteration_lattice.entry %f, %k past %n, %m between %i, %n : !storage.fiber<tensor<?x?xf64, #rows>, 0>
  // CHECK-NEXT: %one = algebra.constant
  %one = algebra.constant 1.0 : f64
  // CHECK-NEXT: %p = iteration_lattice.entry_number %one from %k past %n in %f levels 2 : f64, !storage.fiber<
  %p = iteration_lattice.entry_number %one from %k past %n in %f levels 2 : f64, !storage.fiber<tensor<?x?xf64, #rows>, 0>
  func.return
}
