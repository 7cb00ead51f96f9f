// RUN: irtensor-opt %s --split-input-file -p count-all-entries | filecheck %s

// Iterations of a parallel loop count for themselves, and begin where those before them end.
// CHECK-LABEL: func.func @parallel(
// CHECK:       %parts = arith.maxsi %n, {{.*}} : index
// CHECK:       loop.parallel %part = {{.*}} to %parts {
// CHECK:       [[NEXT:%.*]] = arith.addi %part
// CHECK:       [[OWN:%.*]] = loop.counter
// CHECK:       loop.for %i = %part to [[NEXT]] {
// CHECK-NOT:   loop.load %x
// CHECK:       loop.append {{.*}} to [[OWN]]
// CHECK:       loop.store {{.*}}[%part]
// CHECK:       loop.prefix_sum {{.*}} to %parts]
// CHECK:       loop.reserve %y
// CHECK:       loop.parallel %part_1 = {{.*}} to %parts {
// CHECK:       [[START:%.*]] = loop.load {{.*}}[%part_1]
// CHECK:       loop.counter from
// CHECK:       loop.load %x
// CHECK-NOT:   loop.reserve
// CHECK:       func.return
func.func @parallel(%n: index, %flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %y: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : f64
    %data = loop.data %y : f64
    %c = loop.load %flags[%i] : i1
    loop.if %c {
      %a = loop.load %x[%i] : f64
      loop.store %a, %data[%q] : f64
      loop.append %c1 to %count
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<f64>
  func.return
}

// -----

// A loop that is not parallel is counted by one part.
// CHECK-LABEL: func.func @sequential(
// CHECK:       loop.for %i
// CHECK-NOT:   loop.load %x
// CHECK:       loop.append
// CHECK:       loop.reserve %y
// CHECK:       loop.load %x
// CHECK-NOT:   loop.reserve
// CHECK:       func.return
func.func @sequential(%n: index, %flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %y: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n {
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : f64
    %data = loop.data %y : f64
    %c = loop.load %flags[%i] : i1
    loop.if %c {
      %a = loop.load %x[%i] : f64
      loop.store %a, %data[%q] : f64
      loop.append %c1 to %count
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<f64>
  func.return
}

// -----

// Each entry of an operand gives one: positions say how many there are, and where those of an iteration begin. There is
// one run, and no sum.
// CHECK-LABEL: func.func @each_entry(
// CHECK:       [[FIRST:%.*]] = loop.load %pos[%c0]
// CHECK:       [[LAST:%.*]] = loop.load %pos[
// CHECK:       loop.reserve %y
// CHECK-NOT:   loop.prefix_sum
// CHECK:       loop.parallel %part
// CHECK:         loop.load %pos[
// CHECK:         loop.counter from
// CHECK:         loop.for %i = %part
// CHECK-NOT:       loop.reserve
// CHECK:           loop.load %x[%p]
// CHECK:           loop.close %ends
// CHECK-NOT:   loop.parallel
// CHECK:       func.return
func.func @each_entry(
  %n: index, %pos: !loop.buffer<i64>, %x: !loop.buffer<f64>, %ends: !loop.buffer<i64>, %y: !loop.growable<f64>
) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %l = loop.load %pos[%i] : i64
    %lo = arith.index_cast %l : i64 to index
    %h = loop.load %pos[%next] : i64
    %hi = arith.index_cast %h : i64 to index
    loop.for %p = %lo to %hi {
      %q = loop.count %count
      %more = arith.addi %q, %c1 : index
      loop.reserve %y, %more : f64
      %data = loop.data %y : f64
      %a = loop.load %x[%p] : f64
      loop.store %a, %data[%q] : f64
      loop.append %c1 to %count
    }
    loop.close %ends[%next] at %count : !loop.buffer<i64>
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<f64>
  func.return
}

// -----

// Segments that have numbers of several loops: those of an iteration begin with the first of them.
// CHECK-LABEL: func.func @nested(
// CHECK:       loop.reserve %y
// CHECK-NOT:   loop.prefix_sum
// CHECK:       loop.parallel %part
// CHECK:         [[NUMBER:%.*]] = arith.muli %part, {{.*}} : index
// CHECK:         loop.load %pos[[[NUMBER]]]
// CHECK:         loop.counter from
// CHECK-NOT:   loop.parallel
func.func @nested(%n: index, %m: index, %pos: !loop.buffer<i64>, %y: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %before = arith.muli %i, %m : index
    loop.for %j = %c0 to %m {
      %number = arith.addi %before, %j : index
      %next = arith.addi %number, %c1 : index
      %l = loop.load %pos[%number] : i64
      %lo = arith.index_cast %l : i64 to index
      %h = loop.load %pos[%next] : i64
      %hi = arith.index_cast %h : i64 to index
      loop.for %p = %lo to %hi {
        %q = loop.count %count
        %more = arith.addi %q, %c1 : index
        loop.reserve %y, %more : index
        %data = loop.data %y : index
        loop.store %p, %data[%q] : index
        loop.append %c1 to %count
      }
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<index>
  func.return
}

// -----

// Of two counters, one counts each entry, and the other the segments with entries: only that one is counted first.
// CHECK-LABEL: func.func @segments(
// CHECK:       loop.parallel %part
// CHECK:         loop.store {{.*}}[%part]
// CHECK:       loop.prefix_sum
// CHECK-NOT:   loop.prefix_sum
// CHECK:       loop.parallel
// CHECK:       func.return
func.func @segments(%n: index, %pos: !loop.buffer<i64>, %rows: !loop.growable<index>, %y: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  %found = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %l = loop.load %pos[%i] : i64
    %lo = arith.index_cast %l : i64 to index
    %h = loop.load %pos[%next] : i64
    %hi = arith.index_cast %h : i64 to index
    %first = loop.count %count
    loop.for %p = %lo to %hi {
      %q = loop.count %count
      %more = arith.addi %q, %c1 : index
      loop.reserve %y, %more : index
      %data = loop.data %y : index
      loop.store %p, %data[%q] : index
      loop.append %c1 to %count
    }
    %last = loop.count %count
    %some = arith.cmpi sgt, %last, %first : index
    loop.if %some {
      %r = loop.count %found
      %more = arith.addi %r, %c1 : index
      loop.reserve %rows, %more : index
      %data = loop.data %rows : index
      loop.store %i, %data[%r] : index
      loop.append %c1 to %found
    }
  }
  loop.assembled %rows, %found * %c1 + %c0 : !loop.growable<index>
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<index>
  func.return
}

// -----

// Positions that the loop writes itself say nothing before it: it is counted.
// CHECK-LABEL: func.func @own_positions(
// CHECK:       loop.prefix_sum
func.func @own_positions(%n: index, %from: !loop.buffer<i64>, %pos: !loop.buffer<i64>, %y: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %f = loop.load %from[%i] : i64
    loop.store %f, %pos[%next] : i64
    %l = loop.load %pos[%i] : i64
    %lo = arith.index_cast %l : i64 to index
    %h = loop.load %pos[%next] : i64
    %hi = arith.index_cast %h : i64 to index
    loop.for %p = %lo to %hi {
      %q = loop.count %count
      %more = arith.addi %q, %c1 : index
      loop.reserve %y, %more : index
      %data = loop.data %y : index
      loop.store %p, %data[%q] : index
      loop.append %c1 to %count
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<index>
  func.return
}

// -----

// Iterations that have a set of their own are in parts, each of which makes one set for its iterations.
// CHECK-LABEL: func.func @with_sets(
// CHECK:       loop.parts
// CHECK:       loop.parallel %part
// CHECK:       loop.index_set %n
// CHECK:       loop.for %i
func.func @with_sets(%n: index, %crd: !loop.buffer<index>, %y: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  %set = loop.index_set %n
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %j = loop.load %crd[%i] : index
    %new = loop.insert %j into %set
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : index
    %data = loop.data %y : index
    loop.if %new {
      loop.store %j, %data[%q] : index
      loop.append %c1 to %count
    }
    loop.clear %set
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<index>
  func.return
}

// -----

// The segment is not the one that the iteration has the number of, but a looked up one: its entries are counted.
// CHECK-LABEL: func.func @looked_up(
// CHECK:       loop.prefix_sum
// CHECK:       func.return
func.func @looked_up(%n: index, %rows: !loop.buffer<index>, %pos: !loop.buffer<i64>, %y: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %number = loop.load %rows[%i] : index
    %next = arith.addi %number, %c1 : index
    %l = loop.load %pos[%number] : i64
    %lo = arith.index_cast %l : i64 to index
    %h = loop.load %pos[%next] : i64
    %hi = arith.index_cast %h : i64 to index
    loop.for %p = %lo to %hi {
      %q = loop.count %count
      %more = arith.addi %q, %c1 : index
      loop.reserve %y, %more : index
      %data = loop.data %y : index
      loop.store %p, %data[%q] : index
      loop.append %c1 to %count
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<index>
  func.return
}

// -----

// Numbers of another width than that of the loop are none of its segments.
// CHECK-LABEL: func.func @other_width(
// CHECK:       loop.prefix_sum
// CHECK:       func.return
func.func @other_width(%n: index, %m: index, %k: index, %pos: !loop.buffer<i64>, %y: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %before = arith.muli %i, %k : index
    loop.for %j = %c0 to %m {
      %number = arith.addi %before, %j : index
      %next = arith.addi %number, %c1 : index
      %l = loop.load %pos[%number] : i64
      %lo = arith.index_cast %l : i64 to index
      %h = loop.load %pos[%next] : i64
      %hi = arith.index_cast %h : i64 to index
      loop.for %p = %lo to %hi {
        %q = loop.count %count
        %more = arith.addi %q, %c1 : index
        loop.reserve %y, %more : index
        %data = loop.data %y : index
        loop.store %p, %data[%q] : index
        loop.append %c1 to %count
      }
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<index>
  func.return
}
