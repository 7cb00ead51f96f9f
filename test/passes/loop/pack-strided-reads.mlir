// RUN: irtensor-opt %s --split-input-file -p pack-strided-reads | filecheck %s

// Worth it if there are as many entries as columns; then the operand is transposed in tiles, and read along its rows.
// CHECK-LABEL: func.func @matrix
// CHECK:     %[[ENOUGH:.*]] = arith.cmpi sge, %{{.*}}, %m : index
// CHECK:     %[[SCRATCH:.*]] = loop.scratch : f64
// CHECK:     loop.if %[[ENOUGH]] {
// CHECK:       %[[SIZE:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK:       loop.reserve %[[SCRATCH]], %[[SIZE]] : f64
// CHECK:       %[[TILE:.*]] = arith.constant 32 : index
// CHECK-COUNT-4: loop.for
// CHECK:       loop.load
// CHECK:       loop.store
// CHECK:     %[[COPY:.*]] = loop.data %[[SCRATCH]] : f64
// CHECK:     loop.if %[[ENOUGH]] {
// CHECK:       loop.for %i
// CHECK:         loop.for %p
// CHECK:           %[[J:.*]] = arith.index_cast
// CHECK:           loop.for %k
// CHECK-NEXT:        %[[ROW:.*]] = arith.muli %[[J]], %n : index
// CHECK-NEXT:        %[[PLACE:.*]] = arith.addi %[[ROW]], %k{{.*}} : index
// CHECK-NEXT:        loop.load %[[COPY]][%[[PLACE]]] : f64
// CHECK:     } else {
// CHECK:           loop.for %k
// CHECK-NEXT:        %[[START:.*]] = arith.muli %k{{.*}}, %m : index
// CHECK-NEXT:        %[[OLD:.*]] = arith.addi %[[START]], %{{.*}} : index
// CHECK-NEXT:        loop.load %d[%[[OLD]]] : f64
// CHECK:     func.return
func.func @matrix(%pos: !loop.buffer<i32>, %crd: !loop.buffer<i32>, %rows: index, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 3, 4>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %rows {
    %next = arith.addi %i, %c1 : index
    %b = loop.load %pos[%i] : i32
    %begin = arith.index_cast %b : i32 to index
    %e = loop.load %pos[%next] : i32
    %end = arith.index_cast %e : i32 to index
    loop.for %p = %begin to %end {
      %c = loop.load %crd[%p] : i32
      %j = arith.index_cast %c : i32 to index
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

// -----

// The last two levels of three: as many transposed matrices as the first level has coordinates.
// CHECK-LABEL: func.func @three
// CHECK:     %[[COLUMNS:.*]] = arith.muli %q_n, %m : index
// CHECK:     arith.cmpi sge, %{{.*}}, %[[COLUMNS]] : index
// CHECK:     loop.if
// CHECK-COUNT-5: loop.for
// CHECK:     loop.store
func.func @three(%crd: !loop.buffer<index>, %stored: index, %q: index, %q_n: index, %n: index, %m: index, %d: !loop.buffer<i8> {loop.extents = array<i64: 3, 4, 5>}, %t: !loop.cell<i8>) {
  %c0 = arith.constant 0 : index
  loop.for %p = %c0 to %stored {
    %j = loop.load %crd[%p] : index
    %first = arith.muli %q, %n : index
    loop.for %k = %c0 to %n {
      %row = arith.addi %first, %k : index
      %start = arith.muli %row, %m : index
      %place = arith.addi %start, %j : index
      %v = loop.load %d[%place] : i8
      loop.set %v, %t : i8
    }
  }
  func.return
}

// -----

// Threads that run the loops transpose as well: the loop around the tiles of some columns is theirs.
// CHECK-LABEL: func.func @threads
// CHECK:     loop.if
// CHECK:       loop.for %{{.*}} = %{{.*}} to %{{.*}} attributes {parallel = "automatic"} {
// CHECK-NEXT:    loop.for %{{.*}} = %{{.*}} to %{{[0-9]+}} {
// CHECK:     loop.for %i = %{{.*}} to %rows attributes {parallel = "none"} {
func.func @threads(%pos: !loop.buffer<i64>, %crd: !loop.buffer<i64>, %rows: index, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 3, 4>}, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %rows attributes {parallel = "none"} {
    %next = arith.addi %i, %c1 : index
    %b = loop.load %pos[%i] : i64
    %begin = arith.index_cast %b : i64 to index
    %e = loop.load %pos[%next] : i64
    %end = arith.index_cast %e : i64 to index
    loop.for %p = %begin to %end {
      %c = loop.load %crd[%p] : i64
      %j = arith.index_cast %c : i64 to index
      loop.for %k = %c0 to %n {
        %start = arith.muli %k, %m : index
        %place = arith.addi %start, %j : index
        %v = loop.load %d[%place] : f64
        loop.store %v, %y[%p] : f64
      }
    }
  }
  func.return
}

// -----

// A column that is read once per entry of a segment.
// CHECK-LABEL: func.func @segments
// CHECK:     arith.cmpi sge, %{{.*}}, %m : index
// CHECK:     loop.if
// CHECK:     loop.if
// CHECK:       loop.for %j
// CHECK:           loop.for %k
// CHECK-NEXT:        %[[ROW:.*]] = arith.muli %j{{.*}}, %n : index
// CHECK-NEXT:        %[[PLACE:.*]] = arith.addi %[[ROW]], %k{{.*}} : index
func.func @segments(%pos: !loop.buffer<index>, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 1, 2>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %j = %c0 to %m {
    %next = arith.addi %j, %c1 : index
    %begin = loop.load %pos[%j] : index
    %end = loop.load %pos[%next] : index
    loop.for %p = %begin to %end {
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

// -----

// A result is transposed before and after, if there are two entries for each column. Threads have elements of the copy.
// CHECK-LABEL: func.func @result
// CHECK:     %[[TWICE:.*]] = arith.muli %m, %{{.*}} : index
// CHECK:     %[[ENOUGH:.*]] = arith.cmpi sge, %stored{{.*}}, %[[TWICE]] : index
// CHECK:     loop.if %[[ENOUGH]] {
// CHECK:       loop.load %r
// CHECK:       loop.store
// CHECK:     %[[COPY:.*]] = loop.data
// CHECK:     loop.if %[[ENOUGH]] {
// CHECK-NEXT:  %[[OWN:.*]] = loop.private add %[[COPY]][%{{.*}} to %{{.*}}] : f64
// CHECK-NEXT:  loop.for %p
// CHECK:         loop.for %k
// CHECK-NEXT:      %[[ROW:.*]] = arith.muli %{{.*}}, %n : index
// CHECK-NEXT:      %[[PLACE:.*]] = arith.addi %[[ROW]], %k{{.*}} : index
// CHECK-NEXT:      loop.load %[[OWN]][%[[PLACE]]] : f64
// CHECK:           loop.store %{{.*}}, %[[OWN]][%[[PLACE]]] : f64
// CHECK-COUNT-4: loop.for
// CHECK:         loop.load %[[COPY]]
// CHECK:         loop.store %{{.*}}, %r[
// CHECK:     } else {
// CHECK:         loop.store %{{.*}}, %own[
func.func @result(%stored: index, %n: index, %m: index, %crd: !loop.buffer<index>, %r: !loop.buffer<f64> {loop.extents = array<i64: 1, 2>}, %v: f64) {
  %c0 = arith.constant 0 : index
  %size = arith.muli %n, %m : index
  %own = loop.private add %r[%c0 to %size] : f64
  loop.for %p = %c0 to %stored attributes {parallel = "automatic"} {
    %j = loop.load %crd[%p] : index
    loop.for %k = %c0 to %n {
      %start = arith.muli %k, %m : index
      %place = arith.addi %start, %j : index
      %old = loop.load %own[%place] : f64
      %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
      loop.store %new, %own[%place] : f64
    }
  }
  func.return
}

// -----

// The entries are blocks of four columns, and the loop over places in a block is between theirs and the one inside.
// CHECK-LABEL: func.func @blocks
// CHECK:     %[[COLUMNS:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK:     %[[ENOUGH:.*]] = arith.cmpi sge, %[[COLUMNS]], %m : index
// CHECK:     loop.if %[[ENOUGH]]
// CHECK-COUNT-4: loop.for
// CHECK:     %[[COPY:.*]] = loop.data
// CHECK:     loop.if %[[ENOUGH]] {
// CHECK:       loop.for %p
// CHECK:         loop.for %o
// CHECK:           loop.for %k
// CHECK:             loop.load %[[COPY]]
// CHECK:     } else {
func.func @blocks(%crd: !loop.buffer<index>, %stored: index, %n: index, %m: index, %d: !loop.buffer<f64> {loop.extents = array<i64: 2, 3>}, %t: !loop.cell<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  loop.for %p = %c0 to %stored {
    %block = loop.load %crd[%p] : index
    %first = arith.muli %block, %c4 : index
    loop.for %o = %c0 to %c4 {
      loop.for %k = %c0 to %n {
        %j = arith.addi %first, %o : index
        %start = arith.muli %k, %m : index
        %place = arith.addi %start, %j : index
        %v = loop.load %d[%place] : f64
        loop.set %v, %t : f64
      }
    }
  }
  func.return
}
