// RUN: irtensor-opt --divide-parallel-loops %s | filecheck %s

// Iterations of unequal work: parts begin where as much work lies before them, by bisection over the positions array.
// CHECK-LABEL: @segments
// CHECK: [[PARTS:%.*]] = loop.parts
// CHECK: loop.parallel %part = %{{.*}} to [[PARTS]] {
// CHECK: loop.while attributes {search
// CHECK: loop.load %pos[
// CHECK: loop.for %i = %{{.*}} to %{{.*}} {
// CHECK: loop.for %p = %{{.*}} to %{{.*}} {
func.func @segments(%n: index, %pos: !loop.buffer<i64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "none"} {
    %a = loop.load %pos[%i] : i64
    %lo = arith.index_cast %a : i64 to index
    %after = arith.addi %i, %c1 : index
    %b = loop.load %pos[%after] : i64
    %hi = arith.index_cast %b : i64 to index
    loop.for %p = %lo to %hi {
      loop.store %v, %y[%p] : f64
    }
  }
  func.return
}

// Iterations of equal work are divided by their number.
// CHECK-LABEL: @even
// CHECK: loop.parallel
// CHECK-NOT: loop.while
// CHECK: arith.divsi
// CHECK: arith.divsi
// CHECK: loop.for %i
func.func @even(%n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// A sum is one per part, from the operator's identity on; the parts are combined in their order.
// CHECK-LABEL: @sum
// CHECK: [[SCRATCH:%.*]] = loop.scratch : f64
// CHECK: [[TOTAL:%.*]] = loop.cell %start : f64
// CHECK: loop.reserve [[SCRATCH]]
// CHECK: [[PARTIAL:%.*]] = loop.data [[SCRATCH]]
// CHECK: loop.parallel %part
// CHECK-NEXT: [[ZERO:%.*]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[OWN:%.*]] = loop.cell [[ZERO]] : f64
// CHECK: loop.set %{{.*}}, [[OWN]] : f64
// CHECK: loop.store %{{.*}}, [[PARTIAL]][%part] : f64
// CHECK: loop.for
// CHECK: loop.load [[PARTIAL]]
// CHECK: loop.set %{{.*}}, [[TOTAL]] : f64
func.func @sum(%n: index, %x: !loop.buffer<f64>, %start: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %s = loop.cell %start : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %v = loop.load %x[%i] : f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %v) fastmath<reassoc> : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  %total = loop.get %s : f64
  loop.store %total, %y[%c0] : f64
  func.return
}

// Memory that every iteration starts anew is made once per part, and so is a cell that is set before it is read.
// CHECK-LABEL: @workspace
// CHECK-NOT: loop.scratch
// CHECK: loop.parallel %part
// CHECK: loop.scratch : i64
// CHECK: loop.reserve
// CHECK: loop.data
// CHECK: loop.index_set %n
// CHECK: loop.cell %{{.*}} : index
// CHECK: loop.for %i
func.func @workspace(%n: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %g = loop.scratch : i64
  loop.reserve %g, %n : i64
  %d = loop.data %g : i64
  %set = loop.index_set %n
  %count = loop.cell %c0 : index
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    loop.clear %set
    %was = loop.insert %i into %set
    %m = loop.members %set into %d : !loop.buffer<i64>
    loop.set %m, %count : index
    %c = loop.get %count : index
    %v = arith.index_cast %c : index to i64
    loop.store %v, %y[%i] : i64
  }
  func.return
}

// A table that one loop makes and another one reads is shared by all parts, though nothing outside of loops uses it.
// CHECK-LABEL: @made_and_read
// CHECK: [[TABLE:%.*]] = loop.scratch : i64
// CHECK: [[ELEMENTS:%.*]] = loop.data [[TABLE]]
// CHECK: loop.parallel %part
// CHECK-NOT: loop.scratch
// CHECK: loop.store {{.*}}, [[ELEMENTS]]
// CHECK: loop.parallel %part
// CHECK-NOT: loop.scratch
// CHECK: loop.load [[ELEMENTS]]
func.func @made_and_read(%n: index, %x: !loop.buffer<i64>, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %g = loop.scratch : i64
  loop.reserve %g, %n : i64
  %d = loop.data %g : i64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %v = loop.load %x[%i] : i64
    loop.store %v, %d[%i] : i64
  }
  loop.for %j = %c0 to %n attributes {parallel = "automatic"} {
    %v = loop.load %d[%j] : i64
    loop.store %v, %y[%j] : i64
  }
  func.return
}

// So are sets and maps: what is put into them by one loop and asked for by another one is not divided, but asked for in parts.
// CHECK-LABEL: @put_and_asked
// CHECK: [[SET:%.*]] = loop.index_set %n
// CHECK: [[MAP:%.*]] = loop.index_map
// CHECK-NOT: loop.parallel
// CHECK: loop.insert %{{.*}} into [[SET]]
// CHECK: loop.map_insert %{{.*}}, %{{.*}} into [[MAP]]
// CHECK: loop.parallel %part
// CHECK-NOT: loop.index_
// CHECK: loop.contains %{{.*}} in [[SET]]
// CHECK: loop.map_find %{{.*}}, %{{.*}} in [[MAP]]
func.func @put_and_asked(%n: index, %y: !loop.buffer<i1>, %z: !loop.buffer<i1>) {
  %c0 = arith.constant 0 : index
  %set = loop.index_set %n
  %map = loop.index_map
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %was = loop.insert %i into %set
    %slot, %present = loop.map_insert %c0, %i into %map
  }
  loop.for %j = %c0 to %n attributes {parallel = "automatic"} {
    %there = loop.contains %j in %set
    loop.store %there, %y[%j] : i1
    %slot, %found = loop.map_find %c0, %j in %map
    loop.store %found, %z[%j] : i1
  }
  func.return
}

// A map that every iteration starts anew is made once per part.
// CHECK-LABEL: @table
// CHECK-NOT: loop.index_map
// CHECK: loop.parallel %part
// CHECK: [[MAP:%[a-z0-9_]+]] = loop.index_map
// CHECK: loop.for %i
// CHECK: loop.map_clear [[MAP]]
// CHECK: loop.map_insert %i, %i into [[MAP]]
func.func @table(%n: index, %y: !loop.buffer<i1>) {
  %c0 = arith.constant 0 : index
  %map = loop.index_map
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    loop.map_clear %map
    %slot, %present = loop.map_insert %i, %i into %map
    loop.store %present, %y[%slot] : i1
  }
  func.return
}

// A running value: the loop stays as it is.
// CHECK-LABEL: @running
// CHECK-NOT: loop.parallel
// CHECK: loop.for %i = %{{.*}} to %n {
func.func @running(%n: index, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f64
  %s = loop.cell %v : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %old = loop.get %s : f64
    loop.store %old, %x[%i] : f64
    %new = arith.addf %old, %old : f64
    loop.set %new, %s : f64
  }
  func.return
}

// The positions of a loop inside that starts anew in every iteration say nothing about the iteration.
// CHECK-LABEL: @unrelated
// CHECK: loop.parts
// CHECK: loop.parallel
// CHECK-NOT: loop.while
// CHECK: loop.load %pos
func.func @unrelated(%n: index, %pos: !loop.buffer<i64>, %m: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    loop.for %q = %c0 to %m {
      %a = loop.load %pos[%q] : i64
      %lo = arith.index_cast %a : i64 to index
      %after = arith.addi %q, %c1 : index
      %b = loop.load %pos[%after] : i64
      %hi = arith.index_cast %b : i64 to index
      loop.for %p = %lo to %hi {
        loop.store %v, %y[%i] : f64
      }
    }
  }
  func.return
}

// Segments that coordinates lead to, as rows of a second factor, are of lengths that some of the iterations before them tell:
// they are added up before the loop, and looked up where a part begins.
// CHECK-LABEL: @reached
// CHECK: [[SUMS:%.*]] = loop.data
// CHECK: loop.for
// CHECK: loop.store %{{.*}}, [[SUMS]]
// CHECK: loop.load %crd[
// CHECK: loop.load %rows[
// CHECK: loop.parallel %part
// CHECK: loop.while attributes {search
// CHECK: loop.load [[SUMS]]
// CHECK: loop.for %i
func.func @reached(%n: index, %pos: !loop.buffer<i64>, %crd: !loop.buffer<i64>, %rows: !loop.buffer<i64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %after = arith.addi %i, %c1 : index
    %a = loop.load %pos[%i] : i64
    %lo = arith.index_cast %a : i64 to index
    %b = loop.load %pos[%after] : i64
    %hi = arith.index_cast %b : i64 to index
    loop.for %p = %lo to %hi {
      %c = loop.load %crd[%p] : i64
      %row = arith.index_cast %c : i64 to index
      %next = arith.addi %row, %c1 : index
      %d = loop.load %rows[%row] : i64
      %begin = arith.index_cast %d : i64 to index
      %e = loop.load %rows[%next] : i64
      %end = arith.index_cast %e : i64 to index
      loop.for %q = %begin to %end {
        loop.store %v, %y[%i] : f64
      }
    }
  }
  func.return
}

// What is read only under a condition may be nothing that can be read in every iteration: its length is guessed.
// CHECK-LABEL: @guarded
// CHECK-NOT: loop.load %crd
// CHECK: loop.parallel %part
// CHECK: loop.load %crd
func.func @guarded(%n: index, %mask: !loop.buffer<i1>, %crd: !loop.buffer<i64>, %rows: !loop.buffer<i64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %set = loop.load %mask[%i] : i1
    loop.if %set {
      %c = loop.load %crd[%i] : i64
      %row = arith.index_cast %c : i64 to index
      %next = arith.addi %row, %c1 : index
      %d = loop.load %rows[%row] : i64
      %begin = arith.index_cast %d : i64 to index
      %e = loop.load %rows[%next] : i64
      %end = arith.index_cast %e : i64 to index
      loop.for %q = %begin to %end {
        loop.store %v, %y[%i] : f64
      }
    }
  }
  func.return
}

// Nor are numbers known before the loop that it stores itself.
// CHECK-LABEL: @stored
// CHECK-NOT: loop.load %ends
// CHECK: loop.parallel %part
// CHECK: loop.load %ends
func.func @stored(%n: index, %ends: !loop.buffer<i64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %number = arith.index_cast %i : index to i64
    loop.store %number, %ends[%i] : i64
    %e = loop.load %ends[%i] : i64
    %end = arith.index_cast %e : i64 to index
    loop.for %q = %c0 to %end {
      loop.store %v, %y[%i] : f64
    }
  }
  func.return
}

// Iterations inside of those of a parallel loop are one thread's already.
// CHECK-LABEL: @nested
// CHECK: loop.parallel %i = %c0 to %n {
// CHECK-NEXT: loop.for %j = %c0 to %n {
func.func @nested(%n: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  loop.parallel %i = %c0 to %n {
    loop.for %j = %c0 to %n attributes {parallel = "none"} {
      loop.store %j, %y[%i] : index
    }
  }
  func.return
}

// -----

// What is done in an iteration is divided already.
// CHECK-LABEL: func.func @parallel_inside
// CHECK:       loop.for %i = {{.*}} to %n {
// CHECK:         loop.parallel %k
func.func @parallel_inside(%n: index, %m: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    loop.parallel %k = %c0 to %m {
      %b = loop.load %x[%k] : f64
      %to = arith.addi %row, %k : index
      loop.store %b, %y[%to] : f64
    }
  }
  func.return
}
