// RUN: irtensor-opt %s --split-input-file -p pack-strided-reads | filecheck %s

// The loop inside runs along the rows already.
// CHECK-LABEL: func.func @consecutive
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @consecutive(%crd: !loop.buffer<index>, %stored: index, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 2, 3>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %p = %c0 to %stored {
    %j = loop.load %crd[%p] : index
    loop.for %k = %c0 to %m {
      %start = arith.muli %j, %m : index
      %place = arith.addi %start, %k : index
      %v = loop.load %d[%place] : f64
      loop.set %v, %t : f64
    }
  }
  func.return
}

// -----

// One column for all entries: its lines stay in the cache.
// CHECK-LABEL: func.func @one_column
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @one_column(%j: index, %stored: index, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 2, 3>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %p = %c0 to %stored {
    loop.for %k = %c0 to %n {
      %start = arith.muli %k, %m : index
      %place = arith.addi %start, %j : index
      %v = loop.load %d[%place] : f64
      loop.set %v, %t : f64
    }
  }
  func.return
}

// -----

// How many entries a merge meets is not known before it ends.
// CHECK-LABEL: func.func @merge
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @merge(%crd: !loop.buffer<index>, %stored: index, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 2, 3>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = loop.cell %c0 : index
  loop.while {
    %q = loop.get %p : index
    %more = arith.cmpi slt, %q, %stored : index
    loop.condition %more
  } do {
    %q = loop.get %p : index
    %j = loop.load %crd[%q] : index
    loop.for %k = %c0 to %n {
      %start = arith.muli %k, %m : index
      %place = arith.addi %start, %j : index
      %v = loop.load %d[%place] : f64
      loop.set %v, %t : f64
    }
    %r = arith.addi %q, %c1 : index
    loop.set %r, %p : index
  }
  func.return
}

// -----

// A stride that is not the extent of the tensor's own level: no matrix.
// CHECK-LABEL: func.func @other_stride
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @other_stride(%crd: !loop.buffer<index>, %stored: index, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 2, 3>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %p = %c0 to %stored {
    %j = loop.load %crd[%p] : index
    loop.for %k = %c0 to %n {
      %start = arith.muli %k, %n : index
      %place = arith.addi %start, %j : index
      %v = loop.load %d[%place] : f64
      loop.set %v, %t : f64
    }
  }
  func.return
}

// -----

// Each column is read once: a copy would be the larger work.
// CHECK-LABEL: func.func @once
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @once(%n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 0, 1>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %j = %c0 to %m {
    loop.for %k = %c0 to %n {
      %start = arith.muli %k, %m : index
      %place = arith.addi %start, %j : index
      %v = loop.load %d[%place] : f64
      loop.set %v, %t : f64
    }
  }
  func.return
}

// -----

// Numbers that are no extents, and a buffer that the loops also write to where nothing is a row apart.
// CHECK-LABEL: func.func @no_operand
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @no_operand(%n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 7, 1>}, %w: !loop.buffer<f64> {loop.extents = array<i64: 0, 1>}, %crd: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  loop.for %p = %c0 to %m {
    %j = loop.load %crd[%p] : index
    loop.for %k = %c0 to %n {
      %start = arith.muli %k, %m : index
      %place = arith.addi %start, %j : index
      %v = loop.load %d[%place] : f64
      %u = loop.load %w[%place] : f64
      loop.store %v, %w[%start] : f64
    }
  }
  func.return
}

// -----

// Elements that threads have of their own, but not of the whole matrix; a result that something else reads as well.
// CHECK-LABEL: func.func @results
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @results(%stored: index, %n: index, %m: index, %some: index, %crd: !loop.buffer<index>, %r: !loop.buffer<f64> {loop.extents = array<i64: 1, 2>}, %s: !loop.buffer<f64> {loop.extents = array<i64: 1, 2>}, %v: f64, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  %own = loop.private add %r[%c0 to %some] : f64
  loop.for %p = %c0 to %stored {
    %j = loop.load %crd[%p] : index
    loop.for %k = %c0 to %n {
      %start = arith.muli %k, %m : index
      %place = arith.addi %start, %j : index
      %old = loop.load %own[%place] : f64
      %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
      loop.store %new, %own[%place] : f64
      loop.store %v, %s[%place] : f64
    }
    %u = loop.load %s[%p] : f64
    loop.set %u, %t : f64
  }
  func.return
}

// -----

// A loop along a dimension has no entries, by which the copy would be measured.
// CHECK-LABEL: func.func @no_entries
// CHECK-NOT: loop.scratch
func.func @no_entries(%n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 0, 1>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %j = %c0 to %m {
    loop.for %i = %c0 to %n {
      loop.for %k = %c0 to %n {
        %start = arith.muli %k, %m : index
        %place = arith.addi %start, %j : index
        %v = loop.load %d[%place] : f64
        loop.set %v, %t : f64
      }
    }
  }
  func.return
}
