// RUN: irtensor-opt %s -p lower-iteration-lattice-to-loop | filecheck %s

// A walk along one position needs no loop.
// CHECK-LABEL: func.func @one
// CHECK-NOT:  loop.for
// CHECK:      %v = loop.load %x[%begin] : f64
// CHECK-NEXT: [[OLD:%.*]] = loop.get %t : f64
// CHECK-NEXT: [[NEW:%.*]] = algebra.apply add([[OLD]], %v)
// CHECK-NEXT: loop.set [[NEW]], %t : f64
// CHECK-NEXT: func.return
func.func @one(%x: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index) {
  %one = arith.constant 1 : index
  %end = arith.addi %begin, %one : index
  iteration_lattice.walk %begin to %end {
  ^bb0(%p: index):
    %v = loop.load %x[%p] : f64
    iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
  }
  func.return
}

// A merge that has one body for all cases does not branch around a sum: where no case holds, 0 is added.
// CHECK-LABEL: func.func @select
// CHECK:      loop.while {
// CHECK:      [[C:%.*]] = arith.cmpi eq, %a, %start
// CHECK:      loop.if
// CHECK:      } else {
// CHECK-NEXT:   [[ZERO:%.*]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT:   [[CHOSEN:%.*]] = arith.select [[C]], %v, [[ZERO]] : f64
// CHECK-NEXT:   [[OLD:%.*]] = loop.get %t : f64
// CHECK-NEXT:   [[NEW:%.*]] = algebra.apply add([[OLD]], [[CHOSEN]])
// CHECK-NEXT:   loop.set [[NEW]], %t : f64
func.func @select(%x: !loop.buffer<index>, %y: !loop.buffer<index>, %q: !loop.cell<index>, %r: !loop.cell<index>, %t: !loop.cell<f64>, %v: f64, %lo: index, %hi: index, %m: index, %n: index) {
  iteration_lattice.merge select %lo to %hi cursors %q, %r to %m, %n : !loop.cell<index>, !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index, %s: index):
    %a = loop.load %x[%p] : index
    %b = loop.load %y[%s] : index
    iteration_lattice.yield %a, %b : index, index
  } cases [[0]] {
  ^bb0(%start: index, %end: index, %p0: index, %s0: index, %p1: index, %s1: index, %c: i1, %d: i1):
    iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
  }
  func.return
}

algebra.operator @last(%a: f64, %b: f64) -> f64 {
  algebra.yield %b : f64
}

// An operator that nothing can be combined by to no effect is branched around.
// CHECK-LABEL: func.func @branch
// CHECK:      loop.while {
// CHECK:      [[C:%.*]] = arith.cmpi eq, %a, %start
// CHECK:      loop.if
// CHECK:      } else {
// CHECK-NEXT:   loop.if [[C]] {
// CHECK-NEXT:     [[OLD:%.*]] = loop.get %t : f64
// CHECK-NEXT:     [[NEW:%.*]] = algebra.apply @last([[OLD]], %v)
// CHECK-NEXT:     loop.set [[NEW]], %t : f64
// CHECK-NEXT:   }
func.func @branch(%x: !loop.buffer<index>, %y: !loop.buffer<index>, %q: !loop.cell<index>, %r: !loop.cell<index>, %t: !loop.cell<f64>, %v: f64, %lo: index, %hi: index, %m: index, %n: index) {
  iteration_lattice.merge select %lo to %hi cursors %q, %r to %m, %n : !loop.cell<index>, !loop.cell<index> sentinel [] nonunique [] load {
  ^bb0(%p: index, %s: index):
    %a = loop.load %x[%p] : index
    %b = loop.load %y[%s] : index
    iteration_lattice.yield %a, %b : index, index
  } cases [[0]] {
  ^bb0(%start: index, %end: index, %p0: index, %s0: index, %p1: index, %s1: index, %c: i1, %d: i1):
    iteration_lattice.update @last %v into %t : f64, !loop.cell<f64>
  }
  func.return
}
