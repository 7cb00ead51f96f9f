// RUN: irtensor-opt %s --split-input-file -p lower-iteration-lattice-to-loop | filecheck %s

// A walk is a counted loop, a temporary's update reads and writes its cell; partial sums may be formed in any order.
// CHECK-LABEL: func.func @walk
// CHECK: loop.for %p = %begin to %end {
// CHECK:   %v = loop.load %x[%p] : f64
// CHECK:   [[N0:%[a-z0-9_]+]] = loop.get %t : f64
// CHECK:   [[N1:%[a-z0-9_]+]] = algebra.apply add([[N0]], %v) fastmath<contract,reassoc> : (f64, f64) -> f64
// CHECK:   loop.set [[N1]], %t : f64
func.func @walk(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %end: index) {
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %v = loop.load %x[%p] : f64
    iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// A point is skipped if its range is empty; the running coordinate moves to its end.
// CHECK-LABEL: func.func @point
// CHECK: %b = loop.get %c : index
// CHECK: [[N0:%[a-z0-9_]+]] = arith.cmpi slt, %b, %end : index
// CHECK: loop.if [[N0]] {
// CHECK:   loop.set %b, %t : index
// CHECK: [[N1:%[a-z0-9_]+]] = arith.maxsi %b, %end : index
// CHECK: loop.set [[N1]], %c : index
func.func @point(%c: !loop.cell<index>, %t: !loop.cell<index>, %end: index) {
  iteration_lattice.point %c to %end phases ["stored"] : !loop.cell<index> {
  ^bb0(%b: index, %e: index):
    iteration_lattice.update %b into %t : index, !loop.cell<index>
  }
  func.return
}

// -----

// A branch keeps its else only if there is something in it.
// CHECK-LABEL: func.func @branch
// CHECK: loop.if %c {
// CHECK:   loop.set %v, %t : f64
func.func @branch(%c: i1, %v: f64, %t: !loop.cell<f64>) {
  iteration_lattice.if %c {
    iteration_lattice.update %v into %t : f64, !loop.cell<f64>
  } else {
  }
  func.return
}

// -----

// A merge of two lists of which only common coordinates matter: advance without branches.
// CHECK-LABEL: func.func @merge
// CHECK: loop.while {
// CHECK:   [[N0:%[a-z0-9_]+]] = loop.get %q : index
// CHECK:   [[N1:%[a-z0-9_]+]] = arith.cmpi slt, [[N0]], %m : index
// CHECK:   [[N2:%[a-z0-9_]+]] = loop.get %r : index
// CHECK:   [[N3:%[a-z0-9_]+]] = arith.cmpi slt, [[N2]], %n : index
// CHECK:   loop.condition [[N4:%[a-z0-9_]+]]
// CHECK:   %p = loop.get %q : index
// CHECK:   %s = loop.get %r : index
// CHECK:   %a = loop.load %x[%p] : index
// CHECK:   %b = loop.load %y[%s] : index
// CHECK:   %c = arith.minsi %a, %b : index
// CHECK:   [[N5:%[a-z0-9_]+]] = arith.cmpi eq, %a, %c : index
// CHECK:   [[N6:%[a-z0-9_]+]] = arith.cmpi eq, %b, %c : index
// CHECK:   loop.if [[N9:%[a-z0-9_]+]] {
// CHECK:     loop.set %c, %t : index
// CHECK:   [[N10:%[a-z0-9_]+]] = arith.extui [[N5]] : i1 to i64
// CHECK:   loop.set [[N12:%[a-z0-9_]+]], %q : index
// CHECK:   [[N13:%[a-z0-9_]+]] = arith.extui [[N6]] : i1 to i64
// CHECK:   loop.set [[N15:%[a-z0-9_]+]], %r : index
func.func @merge(%x: !loop.buffer<index>, %y: !loop.buffer<index>, %q: !loop.cell<index>, %r: !loop.cell<index>, %t: !loop.cell<index>, %lo: index, %hi: index, %m: index, %n: index) {
  iteration_lattice.merge cases %lo to %hi cursors %q, %r to %m, %n : !loop.cell<index>, !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index, %s: index):
    %a = loop.load %x[%p] : index
    %b = loop.load %y[%s] : index
    iteration_lattice.yield %a, %b : index, index
  } cases [[0, 1]] {
  ^bb0(%c: index, %e: index, %p: index, %s: index, %pa: index, %sa: index):
    iteration_lattice.update %e into %t : index, !loop.cell<index>
  }
  func.return
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// An appended result: room is reserved once before the loop; coordinate, then value, then the count.
// CHECK-LABEL: func.func @append
// CHECK: %count0 = loop.counter
// CHECK: loop.store [[N2:%[a-z0-9_]+]], [[N1:%[a-z0-9_]+]]{{\[}}[[N0:%[a-z0-9_]+]]{{\]}} : i64
// CHECK: [[N5:%[a-z0-9_]+]] = loop.count %count0
// CHECK: [[N7:%[a-z0-9_]+]] = storage.growable coordinates 0 of %y : tensor<?xf64, {{.*}}> -> !loop.growable<i64>
// CHECK: loop.reserve [[N7]], [[N6:%[a-z0-9_]+]] : i64
// CHECK: [[N9:%[a-z0-9_]+]] = storage.growable values 1 of %y : tensor<?xf64, {{.*}}> -> !loop.growable<f64>
// CHECK: loop.reserve [[N9]], [[N6]] : f64
// CHECK: [[N10:%[a-z0-9_]+]] = storage.growable coordinates 0 of %y : tensor<?xf64, {{.*}}> -> !loop.growable<i64>
// CHECK: [[N11:%[a-z0-9_]+]] = loop.data [[N10]] : i64
// CHECK: [[N13:%[a-z0-9_]+]] = storage.growable values 1 of %y : tensor<?xf64, {{.*}}> -> !loop.growable<f64>
// CHECK: [[N14:%[a-z0-9_]+]] = loop.data [[N13]] : f64
// CHECK: loop.for %p = %begin to %end {
// CHECK:   %i = loop.load %c[%p] : index
// CHECK:   %v = loop.load %x[%p] : f64
// CHECK:   [[N15:%[a-z0-9_]+]] = loop.count %count0
// CHECK:   loop.store %v, [[N14]]{{\[}}[[N15]]{{\]}} : f64
// CHECK:   loop.store [[N16:%[a-z0-9_]+]], [[N11]]{{\[}}[[N15]]{{\]}} : i64
// CHECK:   loop.append [[N18:%[a-z0-9_]+]] to %count0
// CHECK: loop.close [[N21:%[a-z0-9_]+]]{{\[}}[[N23:%[a-z0-9_]+]]{{\]}} at %count0 : !loop.buffer<i64>
// CHECK: [[N26:%[a-z0-9_]+]] = storage.growable coordinates 0 of %y : tensor<?xf64, {{.*}}> -> !loop.growable<i64>
// CHECK: loop.assembled [[N26]], %count0 * [[ONE:%[a-z0-9_]+]] + [[ZERO:%[a-z0-9_]+]] : !loop.growable<i64>
// CHECK: [[N28:%[a-z0-9_]+]] = storage.growable values 1 of %y : tensor<?xf64, {{.*}}> -> !loop.growable<f64>
// CHECK: loop.assembled [[N28]], %count0 * [[WIDTH:%[a-z0-9_]+]] + {{%[a-z0-9_]+}} : !loop.growable<f64>
func.func @append(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %begin: index, %end: index) -> tensor<?xf64, #list> {
  %y = storage.result : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %i = loop.load %c[%p] : index
    %v = loop.load %x[%p] : f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
      iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// Points of a sequence make room together, before the first: each entry comes with a step of one of their cursors.
// CHECK-LABEL: func.func @points
// CHECK: [[A:%[a-z0-9_]+]] = loop.get %first
// CHECK: [[LEFT:%[a-z0-9_]+]] = arith.subi %end0, [[A]]
// CHECK: [[B:%[a-z0-9_]+]] = loop.get %second
// CHECK: [[MORE:%[a-z0-9_]+]] = arith.subi %end1, [[B]]
// CHECK: [[BOTH:%[a-z0-9_]+]] = arith.addi [[LEFT]], [[MORE]]
// CHECK: [[NEEDED:%[a-z0-9_]+]] = arith.addi {{.*}}, [[BOTH]]
// CHECK: loop.reserve {{.*}}, [[NEEDED]] : i64
// CHECK: loop.reserve {{.*}}, [[NEEDED]] : f64
// CHECK-NOT: loop.reserve
// CHECK: loop.if
// CHECK-NOT: loop.reserve
// CHECK: loop.if
// CHECK-NOT: loop.reserve
// CHECK: func.return
func.func @points(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %end0: index, %end1: index) -> tensor<?xf64, #list> {
  %y = storage.result : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  %zero = arith.constant 0 : index
  %first = loop.cell %zero : index
  %second = loop.cell %end0 : index
  %running = loop.cell %zero : index
  iteration_lattice.point %running to %end0 : !loop.cell<index> {
  ^bb0(%lo0: index, %hi0: index):
    %b0 = loop.get %first : index
    iteration_lattice.walk %b0 to %end0 {
    ^bb0(%p: index):
      %i = loop.load %c[%p] : index
      %v = loop.load %x[%p] : f64
      iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
      ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
        iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
      }
    }
  }
  iteration_lattice.point %running to %end1 : !loop.cell<index> {
  ^bb0(%lo1: index, %hi1: index):
    %b1 = loop.get %second : index
    iteration_lattice.walk %b1 to %end1 {
    ^bb0(%p: index):
      %i = loop.load %c[%p] : index
      %v = loop.load %x[%p] : f64
      iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
      ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
        iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
      }
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// Each makes its own where it is not known before them how many steps there are.
// CHECK-LABEL: func.func @points_apart
// CHECK: loop.if
// CHECK: loop.reserve
// CHECK: loop.if
// CHECK: loop.reserve
func.func @points_apart(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %end0: index, %end1: index) -> tensor<?xf64, #list> {
  %y = storage.result : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  %zero = arith.constant 0 : index
  %first = loop.cell %zero : index
  %second = loop.cell %end0 : index
  %running = loop.cell %zero : index
  iteration_lattice.point %running to %end0 : !loop.cell<index> {
  ^bb0(%lo0: index, %hi0: index):
    %b0 = loop.get %first : index
    iteration_lattice.walk %lo0 to %end0 {
    ^bb0(%p: index):
      %i = loop.load %c[%p] : index
      %v = loop.load %x[%p] : f64
      iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
      ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
        iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
      }
    }
  }
  iteration_lattice.point %running to %end1 : !loop.cell<index> {
  ^bb0(%lo1: index, %hi1: index):
    %b1 = loop.get %second : index
    iteration_lattice.walk %lo1 to %end1 {
    ^bb0(%p: index):
      %i = loop.load %c[%p] : index
      %v = loop.load %x[%p] : f64
      iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
      ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
        iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
      }
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// An index without values: neither their memory nor what they would have been.
// CHECK-LABEL: func.func @assemble
// CHECK-NOT: values
// CHECK: loop.store [[N1:%[a-z0-9_]+]], [[N2:%[a-z0-9_]+]]{{\[}}[[N3:%[a-z0-9_]+]]{{\]}} : i64
// CHECK-NOT: values
// CHECK: func.return
func.func @assemble(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %begin: index, %end: index) -> tensor<?xf64, #list> {
  %y = storage.result purpose "assemble" : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %i = loop.load %c[%p] : index
    %v = loop.load %x[%p] : f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
      iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// Values of an index: nothing is reserved; a value goes at most behind the last entry, and coordinates are compared.
// CHECK-LABEL: func.func @compute
// CHECK: %agrees = loop.cell
// CHECK-NOT: loop.reserve
// CHECK: loop.for %p = %begin to %end {
// CHECK:   %v = loop.load %x[%p] : f64
// CHECK:   [[N1:%[a-z0-9_]+]] = loop.get %count0 : index
// CHECK:   [[N2:%[a-z0-9_]+]] = arith.minsi [[N1]], [[N3:%[a-z0-9_]+]] : index
// CHECK:   loop.store %v, [[N4:%[a-z0-9_]+]]{{\[}}[[N2]]{{\]}} {provisional} : f64
// CHECK:   arith.cmpi eq, [[N5:%[a-z0-9_]+]], %i : index
// CHECK:   loop.set [[N6:%[a-z0-9_]+]], %agrees : i1
// CHECK: loop.require [[N7:%[a-z0-9_]+]] else 2
func.func @compute(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %begin: index, %end: index) -> tensor<?xf64, #list> {
  %y = storage.result purpose "compute" : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %i = loop.load %c[%p] : index
    %v = loop.load %x[%p] : f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
      iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#row = #storage.format<(i) -> (i : accumulator)>
#list = #storage.format<(i) -> (i : compressed)>
// What a workspace lists goes to an index that exists: it is neither listed nor cleared, but taken out one by one.
// CHECK-LABEL: func.func @walk_the_index
// CHECK-NOT: loop.clear
// CHECK: loop.for %p = %begin to %end {
// CHECK:   loop.insert %i into
// CHECK-NOT: loop.members
// CHECK: loop.for %p_1 = [[B:%.*]] to [[E:%.*]] {
// CHECK:   storage.array coordinates %y, 0
// CHECK:   loop.store {{.*}}[%p_1] : f64
// CHECK:   loop.remove
// CHECK: loop.require
// The same with a result that is appended to: the list is needed.
// CHECK-LABEL: func.func @list_the_workspace
// CHECK: loop.clear
// CHECK: loop.members
// CHECK-NOT: loop.remove
func.func @walk_the_index(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %begin: index, %end: index, %n: index) -> tensor<?xf64, #list> {
  %y = storage.result purpose "compute" : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  %w = storage.workspace(%n) : tensor<?xf64, #row>
  %write = storage.initialize %w : tensor<?xf64, #row> -> !storage.fiber<tensor<?xf64, #row>, 0>
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %i = loop.load %c[%p] : index
    %v = loop.load %x[%p] : f64
    iteration_lattice.place %write at %i : !storage.fiber<tensor<?xf64, #row>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #row>, 1>):
      iteration_lattice.update add %v into %slot : f64, !storage.fiber<tensor<?xf64, #row>, 1>
    }
  }
  %read = storage.finalize %w : tensor<?xf64, #row> -> !storage.fiber<tensor<?xf64, #row>, 0>
  %zero = arith.constant 0 : index
  %list = storage.array coordinates %w, 0 : tensor<?xf64, #row>
  %count = storage.stored 0 of %w : tensor<?xf64, #row>
  %values = storage.values %w : tensor<?xf64, #row> -> !loop.buffer<f64>
  iteration_lattice.walk %zero to %count {
  ^bb0(%p: index):
    %stored = loop.load %list[%p] : i64
    %i = arith.index_cast %stored : i64 to index
    %v = loop.load %values[%i] : f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
      iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

func.func @list_the_workspace(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %begin: index, %end: index, %n: index) -> tensor<?xf64, #list> {
  %y = storage.result : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  %w = storage.workspace(%n) : tensor<?xf64, #row>
  %write = storage.initialize %w : tensor<?xf64, #row> -> !storage.fiber<tensor<?xf64, #row>, 0>
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %i = loop.load %c[%p] : index
    %v = loop.load %x[%p] : f64
    iteration_lattice.place %write at %i : !storage.fiber<tensor<?xf64, #row>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #row>, 1>):
      iteration_lattice.update add %v into %slot : f64, !storage.fiber<tensor<?xf64, #row>, 1>
    }
  }
  %read = storage.finalize %w : tensor<?xf64, #row> -> !storage.fiber<tensor<?xf64, #row>, 0>
  %zero = arith.constant 0 : index
  %list = storage.array coordinates %w, 0 : tensor<?xf64, #row>
  %count = storage.stored 0 of %w : tensor<?xf64, #row>
  %values = storage.values %w : tensor<?xf64, #row> -> !loop.buffer<f64>
  iteration_lattice.walk %zero to %count {
  ^bb0(%p: index):
    %stored = loop.load %list[%p] : i64
    %i = arith.index_cast %stored : i64 to index
    %v = loop.load %values[%i] : f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
      iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

// A dense result that is accumulated into starts at its fill value.
// CHECK-LABEL: func.func @accumulate
// CHECK: [[N4:%[a-z0-9_]+]] = storage.values %y : tensor<?xf64> -> !loop.buffer<f64>
// CHECK: loop.fill [[N3:%[a-z0-9_]+]], [[N4]]{{\[}}[[N0:%[a-z0-9_]+]] to [[N2:%[a-z0-9_]+]]] : f64
// CHECK: loop.for %p = %begin to %end {
// CHECK:   %i = loop.load %c[%p] : index
// CHECK:   %v = loop.load %x[%p] : f64
// CHECK:   [[N7:%[a-z0-9_]+]] = storage.values %y : tensor<?xf64> -> !loop.buffer<f64>
// CHECK:   [[N8:%[a-z0-9_]+]] = loop.load [[N7]][%i] : f64
// CHECK:   [[N9:%[a-z0-9_]+]] = algebra.apply add([[N8]], %v) fastmath<contract,reassoc> : (f64, f64) -> f64
// CHECK:   loop.store [[N9]], [[N7]][%i] : f64
func.func @accumulate(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %begin: index, %end: index) -> tensor<?xf64> {
  %y = storage.result initialize : tensor<?xf64>
  %root = storage.root %y : tensor<?xf64>
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %i = loop.load %c[%p] : index
    %v = loop.load %x[%p] : f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64>, 1>):
      iteration_lattice.update add %v into %slot : f64, !storage.fiber<tensor<?xf64>, 1>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#flagged = #storage.format<(i) -> (i : bitmap)>
// A bitmap level is written at any position, and the position is flagged; before, nothing is stored.
// CHECK-LABEL: func.func @bitmap
// CHECK: %y = storage.result : tensor<?xf64, {{.*}}>
// CHECK: [[NONE:%[a-z0-9_]+]] = algebra.constant false
// CHECK: [[FLAGS:%[a-z0-9_]+]] = storage.array flags %y, 0
// CHECK: loop.fill [[NONE]], [[FLAGS]]
// CHECK: [[FILL:%[a-z0-9_]+]] = algebra.constant 0.000000e+00 : f64
// CHECK: loop.fill [[FILL]]
// CHECK: loop.for %p = %begin to %end {
// CHECK:   %i = loop.load %c[%p] : index
// CHECK:   [[TRUE:%[a-z0-9_]+]] = algebra.constant true
// CHECK:   loop.store [[TRUE]], {{%[a-z0-9_]+}}[[[AT:%[a-z0-9_]+]]] : i1
// CHECK:   loop.store %v, {{%[a-z0-9_]+}}[[[AT]]] : f64
func.func @bitmap(%x: !loop.buffer<f64>, %c: !loop.buffer<index>, %begin: index, %end: index) -> tensor<?xf64, #flagged> {
  %y = storage.result : tensor<?xf64, #flagged>
  %root = storage.root %y : tensor<?xf64, #flagged>
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %i = loop.load %c[%p] : index
    %v = loop.load %x[%p] : f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #flagged>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #flagged>, 1>):
      iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64, #flagged>, 1>
    }
  }
  func.return %y : tensor<?xf64, #flagged>
}

// -----

// An outer loop has selected %d, and an inner one has found no entry to add to it: the quotient is absent without %d.
// CHECK-LABEL: func.func @selected
// CHECK:      [[D:%[a-z0-9_]+]] = arith.select %there, %d, %none : f64
// CHECK-NEXT: [[NEG:%[a-z0-9_]+]] = algebra.apply neg([[D]]) : (f64) -> f64
// CHECK-NEXT: [[QUOTIENT:%[a-z0-9_]+]] = algebra.apply div([[NEG]], %a) : (f64, f64) -> f64
// CHECK-NEXT: [[ZERO:%[a-z0-9_]+]] = algebra.constant -0.000000e+00 : f64
// CHECK-NEXT: [[KEPT:%[a-z0-9_]+]] = algebra.apply where(%there, [[QUOTIENT]], [[ZERO]]) : (i1, f64, f64) -> f64
// CHECK:      algebra.apply add({{.*}}, [[KEPT]])
func.func @selected(%there: i1, %d: f64, %a: f64, %t: !loop.cell<f64>) {
  %none = algebra.constant absent 0.0 : f64
  %0 = arith.select %there, %d, %none {selects_stored} : f64
  %1 = algebra.apply neg(%0) : (f64) -> f64
  %2 = algebra.apply div(%1, %a) : (f64, f64) -> f64
  iteration_lattice.update add %2 into %t : f64, !loop.cell<f64>
  func.return
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// An outer loop has selected %d, without which the product is no entry: it is appended where %d is there.
// CHECK-LABEL: func.func @appended_if_selected
// CHECK:      loop.for
// CHECK:        [[WRITTEN:%[a-z0-9_]+]] = loop.cell
// CHECK-NEXT:   loop.if %there {
// CHECK-NEXT:     loop.store
func.func @appended_if_selected(%there: i1, %d: f64, %x: !loop.buffer<f64>, %n: index) -> tensor<?xf64, #list> {
  %y = storage.result : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  %none = algebra.constant absent 0.0 : f64
  %0 = arith.select %there, %d, %none {selects_stored} : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %n {
    %v = loop.load %x[%i] : f64
    %p = algebra.apply mul(%v, %0) : (f64, f64) -> f64
    iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64, #list>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
      iteration_lattice.update %p into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// The branch around says that %d or %e is there: so there is an entry.
// CHECK-LABEL: func.func @appended_where_selected
// CHECK:     loop.if
// CHECK-NOT: loop.cell
// CHECK-NOT: loop.if
func.func @appended_where_selected(%has_d: i1, %has_e: i1, %d: f64, %e: f64, %n: index) -> tensor<?xf64, #list> {
  %y = storage.result : tensor<?xf64, #list>
  %root = storage.root %y : tensor<?xf64, #list>
  %none = algebra.constant absent 0.0 : f64
  %0 = arith.select %has_d, %d, %none {selects_stored} : f64
  %1 = arith.select %has_e, %e, %none {selects_stored} : f64
  %either = arith.ori %has_d, %has_e : i1
  iteration_lattice.if %either {
    %p = algebra.apply add(%0, %1) : (f64, f64) -> f64
    iteration_lattice.place %root at %n : !storage.fiber<tensor<?xf64, #list>, 0> {
    ^bb0(%slot: !storage.fiber<tensor<?xf64, #list>, 1>):
      iteration_lattice.update %p into %slot : f64, !storage.fiber<tensor<?xf64, #list>, 1>
    }
  } else {
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// Nothing is appended, so that there is nothing to count first.
// CHECK-LABEL: func.func @nothing_to_count
// CHECK: %count0 = loop.counter
// CHECK-NOT: loop.for
// CHECK: loop.close
func.func @nothing_to_count() -> tensor<?xf64, #list> {
  %y = storage.result counted : tensor<?xf64, #list>
  func.return %y : tensor<?xf64, #list>
}

// -----

// Vectors of a loop in which each iteration appends an entry: its place follows from the number of the iteration.
!result = tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
!root = !storage.fiber<!result, 0>
!entry = !storage.fiber<!result, 1>
// CHECK-LABEL: func.func @lanes
// CHECK: loop.for %i = {{.*}} attributes {vectorize = 4 : i64, independent} {
// CHECK:   loop.load %x[%i] {apart} : f64
// CHECK:   loop.store {{.*}} {apart} : f64
// CHECK:   loop.append
func.func @lanes(%x: !loop.buffer<f64>, %n: index) -> !result {
  %A = storage.result : !result
  %zero = arith.constant 0 : index
  %root = storage.root %A : !result
  loop.for %i = %zero to %n attributes {vectorize = 4 : i64, independent, over = "j"} {
    iteration_lattice.place %root at %i : !root {
    ^bb0(%slot: !entry):
      %v = loop.load %x[%i] : f64
      iteration_lattice.update %v into %slot : f64, !entry
    }
  }
  func.return %A : !result
}

// -----

// Below a new entry of a map, nothing is stored: room for its flags and values is made, and they are reset.
!table = tensor<?x?xf64, #storage.format<(i, j) -> (i : map, j : bitmap)>>
// CHECK-LABEL: func.func @flags
// CHECK: loop.map_insert
// CHECK: loop.reserve {{.*}} : i1
// CHECK: loop.reserve {{.*}} : f64
// CHECK: loop.if {{.*}} {
// CHECK: } else {
// CHECK:   loop.fill {{.*}} : i1
// CHECK:   loop.fill {{.*}} : f64
// CHECK: loop.store {{.*}} : i1
// CHECK: loop.store {{.*}} : f64
func.func @flags(%n: index, %v: f64) {
  %w = storage.workspace(%n, %n) : !table
  %root = storage.initialize %w : !table -> !storage.fiber<!table, 0>
  iteration_lattice.place %root at %n : !storage.fiber<!table, 0> {
  ^bb0(%row: !storage.fiber<!table, 1>):
    iteration_lattice.place %row at %n : !storage.fiber<!table, 1> {
    ^bb0(%slot: !storage.fiber<!table, 2>):
      iteration_lattice.update %v into %slot : f64, !storage.fiber<!table, 2>
    }
  }
  func.return
}
