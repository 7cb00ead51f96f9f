// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

func.func @unfurled_payload(%f: !storage.fiber<tensor<?x?xf64>, 0>) {
  // expected-error @+1 {{level 0 of the fiber holds !storage.fiber<tensor<?x?xf64>, 1>, not f64}}
  %0 = iteration_lattice.unfurl %f : !storage.fiber<tensor<?x?xf64>, 0> -> !iteration_lattice.looplet<f64>
  func.return
}

// -----

func.func @nothing_to_unfurl(%f: !storage.fiber<tensor<?xf64>, 1>) {
  // expected-error @+1 {{the fiber has no next level: all of its levels are resolved}}
  %0 = iteration_lattice.unfurl %f : !storage.fiber<tensor<?xf64>, 1> -> !iteration_lattice.looplet<f64>
  func.return
}

// -----

func.func @thunk_arguments(%f: !storage.fiber<tensor<?xf64>, 0>, %n: !iteration_lattice.looplet<f64>) {
  // expected-error @+1 {{a thunk binds index, index, not index}}
  %0 = iteration_lattice.thunk %f : !storage.fiber<tensor<?xf64>, 0> -> !iteration_lattice.looplet<f64> {
  ^bb0(%begin: index):
    iteration_lattice.yield %n : !iteration_lattice.looplet<f64>
  }
  func.return
}

// -----

func.func @thunk_outcome(%f: !storage.fiber<tensor<?xf64>, 0>, %x: f64) {
  // expected-error @+1 {{a thunk yields !iteration_lattice.looplet<f64>, not f64}}
  %0 = iteration_lattice.thunk %f : !storage.fiber<tensor<?xf64>, 0> -> !iteration_lattice.looplet<f64> {
  ^bb0(%begin: index, %end: index):
    iteration_lattice.yield %x : f64
  }
  func.return
}

// -----

func.func @run(%x: f32) {
  // expected-error @+1 {{payload f32 does not match nest !iteration_lattice.looplet<f64>}}
  %0 = iteration_lattice.run %x : f32 -> !iteration_lattice.looplet<f64>
  func.return
}

// -----

func.func @lookup_argument(%x: f64) {
  // expected-error @+1 {{a lookup binds index, not nothing}}
  %0 = iteration_lattice.lookup !iteration_lattice.looplet<f64> {
    iteration_lattice.yield %x : f64
  }
  func.return
}

// -----

func.func @lookup_outcome(%x: f64) {
  // expected-error @+1 {{a lookup yields f64, not index}}
  %0 = iteration_lattice.lookup !iteration_lattice.looplet<f64> {
  ^bb0(%i: index):
    iteration_lattice.yield %i : index
  }
  func.return
}

// -----

func.func @sequence_count(%a: !iteration_lattice.looplet<f64>, %n: index) {
  // expected-error @+1 {{1 phase ends need 2 nests, got 1}}
  %0 = iteration_lattice.sequence until %n nests %a : !iteration_lattice.looplet<f64> -> !iteration_lattice.looplet<f64>
  func.return
}

// -----

func.func @sequence_types(%a: !iteration_lattice.looplet<f64>, %b: !iteration_lattice.looplet<f32>, %n: index) {
  // expected-error @+1 {{!iteration_lattice.looplet<f32> cannot be a part of nest !iteration_lattice.looplet<f64>}}
  %0 = iteration_lattice.sequence until %n nests %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f32> -> !iteration_lattice.looplet<f64>
  func.return
}

// -----

func.func @spike(%x: f64, %y: f32) {
  // expected-error @+1 {{payload f32 does not match nest !iteration_lattice.looplet<f64>}}
  %0 = iteration_lattice.spike %y, %x : f32, f64 -> !iteration_lattice.looplet<f64>
  func.return
}

// -----

func.func @switch(%c: i1, %a: !iteration_lattice.looplet<f64>, %b: !iteration_lattice.looplet<f32>) {
  // expected-error @+1 {{!iteration_lattice.looplet<f32> cannot be a part of nest !iteration_lattice.looplet<f64>}}
  %0 = iteration_lattice.switch %c, %a, %b : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f32> -> !iteration_lattice.looplet<f64>
  func.return
}

// -----

func.func @cursor(%q: !loop.cell<i64>, %n: index, %a: !iteration_lattice.looplet<f64>) {
  // expected-error @+1 {{a cursor holds an index, not i64}}
  %0 = iteration_lattice.stepper %q to %n until %n : !loop.cell<i64> -> !iteration_lattice.looplet<f64> load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } chunk {
  ^bb0(%p: index, %after: index):
    iteration_lattice.yield %a : !iteration_lattice.looplet<f64>
  }
  func.return
}

// -----

func.func @load(%q: !loop.cell<index>, %n: index, %a: !iteration_lattice.looplet<f64>) {
  // expected-error @+1 {{the load region yields index, not index, index}}
  %0 = iteration_lattice.stepper %q to %n until %n : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
  ^bb0(%p: index):
    iteration_lattice.yield %p, %p : index, index
  } chunk {
  ^bb0(%p: index, %after: index):
    iteration_lattice.yield %a : !iteration_lattice.looplet<f64>
  }
  func.return
}

// -----

func.func @chunk(%q: !loop.cell<index>, %n: index, %a: !iteration_lattice.looplet<f64>) {
  // expected-error @+1 {{the chunk region binds index, index, not index}}
  %0 = iteration_lattice.jumper %q to %n until %n : !loop.cell<index> -> !iteration_lattice.looplet<f64> load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } chunk {
  ^bb0(%p: index):
    iteration_lattice.yield %a : !iteration_lattice.looplet<f64>
  }
  func.return
}

// -----

func.func @coiterate_count(%a: !iteration_lattice.looplet<f64>, %n: index) {
  // expected-error @+1 {{the body binds the coordinate and one payload per nest}}
  iteration_lattice.coiterate %n to %n over %a : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index):
  }
  func.return
}

// -----

func.func @coiterate_payload(%a: !iteration_lattice.looplet<f64>, %n: index) {
  // expected-error @+1 {{payload f32 does not match nest !iteration_lattice.looplet<f64>}}
  iteration_lattice.coiterate %n to %n over %a : !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %x: f32):
  }
  func.return
}

// -----

func.func @coiterate_live(%a: !iteration_lattice.looplet<f64>, %n: index) {
  // expected-error @+1 {{nest 1 does not exist; the operation has 1}}
  iteration_lattice.coiterate %n to %n over %a : !iteration_lattice.looplet<f64> live [1] {
  ^bb0(%i: index, %x: f64):
  }
  func.return
}

// -----

func.func @place(%f: !storage.fiber<tensor<?x?xf64>, 0>, %i: index) {
  // expected-error @+1 {{a place binds !storage.fiber<tensor<?x?xf64>, 1>, not !storage.fiber<tensor<?x?xf64>, 2>}}
  iteration_lattice.place %f at %i : !storage.fiber<tensor<?x?xf64>, 0> {
  ^bb0(%o: !storage.fiber<tensor<?x?xf64>, 2>):
  }
  func.return
}

// -----

func.func @place_until(%f: !storage.fiber<tensor<?x?xf64>, 0>, %i: index) {
  // expected-error @+1 {{a level that is dense takes single coordinates, no ranges}}
  iteration_lattice.place %f at %i until %i : !storage.fiber<tensor<?x?xf64>, 0> {
  ^bb0(%o: !storage.fiber<tensor<?x?xf64>, 1>):
  }
  func.return
}

// -----

func.func @update_type(%x: f32, %s: !loop.cell<f64>) {
  // expected-error @+1 {{cannot store f32 in a component of type f64}}
  iteration_lattice.update %x into %s : f32, !loop.cell<f64>
  func.return
}

// -----

func.func @update_too_early(%x: f64, %f: !storage.fiber<tensor<?x?xf64>, 1>) {
  // expected-error @+1 {{!storage.fiber<tensor<?x?xf64>, 1> is not a component yet: place it at the coordinates that are left}}
  iteration_lattice.update %x into %f : f64, !storage.fiber<tensor<?x?xf64>, 1>
  func.return
}

// -----

func.func @point(%now: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{a point binds index, index, not index}}
  iteration_lattice.point %now to %n : !loop.cell<index> {
  ^bb0(%i: index):
  }
  func.return
}

// -----

func.func @walk(%n: index) {
  // expected-error @+1 {{a walk binds index, not index, index}}
  iteration_lattice.walk %n to %n {
  ^bb0(%p: index, %after: index):
  }
  func.return
}

// -----

func.func @merge_ends(%q: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{1 cursors need as many ends, got 2}}
  iteration_lattice.merge cases %n to %n cursors %q to %n, %n : !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } cases [[0]] {
  ^bb0(%c: index, %e: index, %p: index, %after: index):
  }
  func.return
}

// -----

func.func @merge_strategy(%q: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{unknown strategy 'zip'; strategies are cases}}
  iteration_lattice.merge zip %n to %n cursors %q to %n : !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } cases [[0]] {
  ^bb0(%c: index, %e: index, %p: index, %after: index):
  }
  func.return
}

// -----

func.func @merge_bodies(%q: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{2 cases need 2 regions, got 1}}
  iteration_lattice.merge cases %n to %n cursors %q to %n : !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } cases [[0], []] {
  ^bb0(%c: index, %e: index, %p: index, %after: index):
  }
  func.return
}

// -----

func.func @merge_case(%q: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{cursor 1 does not exist; the operation has 1}}
  iteration_lattice.merge cases %n to %n cursors %q to %n : !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } cases [[1]] {
  ^bb0(%c: index, %e: index, %p: index, %after: index):
  }
  func.return
}

// -----

func.func @merge_sentinel(%q: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{cursor 3 does not exist; the operation has 1}}
  iteration_lattice.merge cases %n to %n cursors %q to %n : !loop.cell<index> sentinel [3] nonunique [] load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } cases [[0]] {
  ^bb0(%c: index, %e: index, %p: index, %after: index):
  }
  func.return
}

// -----

// A selecting body also knows which cursors are aligned.
func.func @merge_body(%q: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{a case binds index, index, index, index, i1, not index, index, index, index}}
  iteration_lattice.merge select %n to %n cursors %q to %n : !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index):
    iteration_lattice.yield %p : index
  } cases [[0]] {
  ^bb0(%c: index, %e: index, %p: index, %after: index):
  }
  func.return
}

// -----

func.func @merge_load(%q: !loop.cell<index>, %n: index) {
  // expected-error @+1 {{the load region yields index, not nothing}}
  iteration_lattice.merge cases %n to %n cursors %q to %n : !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index):
    iteration_lattice.yield
  } cases [[0]] {
  ^bb0(%c: index, %e: index, %p: index, %after: index):
  }
  func.return
}

// -----

// What combines an old value with a new one takes two of them and gives another.
func.func @combine(%x: f64, %t: !loop.cell<f64>) {
  // expected-error @+1 {{'where' takes 3 operands, got 2}}
  iteration_lattice.update where %x into %t : f64, !loop.cell<f64>
  func.return
}

// -----

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @too_many_levels(%f: !storage.fiber<tensor<?x?xf64, #rows>, 1>) {
  // expected-error @+1 {{2 levels are counted, 1 are below the fiber}}
  %count = iteration_lattice.entry_count %f levels 2 : !storage.fiber<tensor<?x?xf64, #rows>, 1>
  func.return
}

// -----

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @before_two_levels(%f: !storage.fiber<tensor<?x?xf64, #rows>, 0>, %k: index) {
  // expected-error @+1 {{entries are counted before a coordinate of each of the levels}}
  %count = iteration_lattice.entry_count %f before %k levels 2 : !storage.fiber<tensor<?x?xf64, #rows>, 0>
  func.return
}

// -----

#slots = #storage.format<(i, j) -> (i : dense, j : padded)>
func.func @unused_slots(%f: !storage.fiber<tensor<?x?xf64, #slots>, 0>) {
  // expected-error @+1 {{entries of level 1 (j : padded) have no numbers}}
  %count = iteration_lattice.entry_count %f levels 2 : !storage.fiber<tensor<?x?xf64, #slots>, 0>
  func.return
}

// -----

#diagonals = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
func.func @outside_of_diagonals(%f: !storage.fiber<tensor<?x?xf64, #diagonals>, 0>, %n: index) {
  // expected-error @+1 {{entries of level 1 (i : range) have no numbers}}
  %d, %i, %j = iteration_lattice.entry %f, %n past %n, %n, %n : !storage.fiber<tensor<?x?xf64, #diagonals>, 0>
  func.return
}

// -----

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @a_row_is_no_entry(%f: !storage.fiber<tensor<?x?xf64, #rows>, 0>, %x: f64, %n: index) {
  // expected-error @+1 {{an entry is found below all levels}}
  %p = iteration_lattice.entry_number %x from %n past %n in %f levels 1 : f64, !storage.fiber<tensor<?x?xf64, #rows>, 0>
  func.return
}

// -----

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @another_type(%f: !storage.fiber<tensor<?x?xf64, #rows>, 0>, %x: f32, %n: index) {
  // expected-error @+1 {{an entry has type f64, not f32}}
  %p = iteration_lattice.entry_number %x from %n past %n in %f levels 2 : f32, !storage.fiber<tensor<?x?xf64, #rows>, 0>
  func.return
}

// -----

#lists = #storage.format<(i, j) -> (i : compressed, j : compressed)>
func.func @between_entries(%f: !storage.fiber<tensor<?x?xf64, #lists>, 0>, %i: index) {
  // expected-error @+1 {{an entry is looked for between coordinates of a level that stores every one}}
  %r, %c = iteration_lattice.entry %f, %i past %i, %i between %i, %i : !storage.fiber<tensor<?x?xf64, #lists>, 0>
  func.return
}
