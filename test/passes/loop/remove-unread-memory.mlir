// RUN: irtensor-opt %s --split-input-file -p remove-unread-memory | filecheck %s

// Sums that only go back to where they came from are no results: their memory, their loads and the sums go.
// CHECK-LABEL: func.func @accumulator
// CHECK-NEXT: %n = arith.constant 8 : index
// CHECK-NEXT: %set = loop.index_set %n
// CHECK-NEXT: loop.for %p = %lo to %hi {
// CHECK-NEXT:   %c = loop.load %crd[%p] : i64
// CHECK-NEXT:   %j = arith.index_cast %c : i64 to index
// CHECK-NEXT:   %old = loop.insert %j into %set
// CHECK-NEXT: }
// CHECK-NEXT: %count = loop.members %set into %list : !loop.buffer<i64>
// CHECK-NEXT: func.return
func.func @accumulator(
    %crd: !loop.buffer<i64>, %vals: !loop.buffer<f64>, %list: !loop.buffer<i64>, %lo: index, %hi: index) {
  %n = arith.constant 8 : index
  %set = loop.index_set %n
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %data = loop.data %w : f64
  loop.for %p = %lo to %hi {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %old = loop.insert %j into %set
    %v = loop.load %vals[%p] : f64
    %s = loop.load %data[%j] : f64
    %sum = algebra.apply add(%s, %v) : (f64, f64) -> f64
    %new = arith.select %old, %sum, %v : f64
    loop.store %new, %data[%j] : f64
  }
  %count = loop.members %set into %list : !loop.buffer<i64>
  func.return
}

// -----

// A cell that nothing reads, the loop that sets it, and a loop that only moves itself forward.
// CHECK-LABEL: func.func @cells
// CHECK-NEXT: func.return
func.func @cells(%vals: !loop.buffer<f64>, %lo: index, %hi: index, %zero: f64) {
  %sum = loop.cell %zero : f64
  loop.for %p = %lo to %hi {
    %v = loop.load %vals[%p] : f64
    %old = loop.get %sum : f64
    %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
    loop.set %new, %sum : f64
  }
  %q = loop.cell %lo : index
  loop.while {
    %at = loop.get %q : index
    %more = arith.cmpi slt, %at, %hi : index
    loop.condition %more
  } do {
    %here = loop.get %q : index
    %next = arith.addi %here, %hi : index
    loop.set %next, %q : index
  }
  func.return
}

// -----

// A loop keeps its condition and what moves it forward where anything in it has an effect.
// CHECK-LABEL: func.func @walk
// CHECK: loop.while {
// CHECK:   loop.condition %more
// CHECK:   loop.store %v, %out[%here] : f64
// CHECK:   loop.set %next, %q : index
func.func @walk(%out: !loop.buffer<f64>, %lo: index, %hi: index, %v: f64) {
  %q = loop.cell %lo : index
  loop.while {
    %at = loop.get %q : index
    %more = arith.cmpi slt, %at, %hi : index
    loop.condition %more
  } do {
    %here = loop.get %q : index
    loop.store %v, %out[%here] : f64
    %next = arith.addi %here, %hi : index
    loop.set %next, %q : index
  }
  func.return
}

// -----

// A map may hold what is looked up, but where nothing asks for it, it is not looked up.
// CHECK-LABEL: func.func @lookups
// CHECK: loop.map_insert
// CHECK: loop.map_find %hi, %i in %map
// CHECK-NOT: loop.map_find
// CHECK-NOT: loop.store %{{.*}}, %data
func.func @lookups(%out: !loop.buffer<i1>, %lo: index, %hi: index) {
  %map = loop.index_map
  %w = loop.scratch : index
  loop.reserve %w, %hi : index
  %data = loop.data %w : index
  loop.for %i = %lo to %hi {
    %new, %before = loop.map_insert %lo, %i into %map
    %slot, %present = loop.map_find %hi, %i in %map
    loop.store %present, %out[%i] : i1
    %other, %there = loop.map_find %i, %lo in %map
    loop.store %other, %data[%i] : index
  }
  func.return
}

// -----

// What is accumulated and never read, and entries that nothing is stored for.
// CHECK-LABEL: func.func @accumulated
// CHECK-NEXT: func.return
func.func @accumulated(%vals: !loop.buffer<f64>, %lo: index, %hi: index, %was: i1) {
  %w = loop.scratch : f64
  loop.reserve %w, %hi : f64
  %data = loop.data %w : f64
  %count = loop.counter
  loop.for %p = %lo to %hi {
    %v = loop.load %vals[%p] : f64
    loop.accumulate add %v into %data[%p] where %was : f64
    loop.append %p to %count
  }
  func.return
}

// -----

// A buffer that is one of two is memory of both: what is stored through it has no effect where neither is read.
// CHECK-LABEL: func.func @either
// CHECK-NEXT: func.return
func.func @either(%n: index, %v: f64, %first: i1) {
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %a = loop.data %w : f64
  %u = loop.scratch : f64
  loop.reserve %u, %n : f64
  %b = loop.data %u : f64
  %own = arith.select %first, %a, %b : !loop.buffer<f64>
  loop.store %v, %own[%n] : f64
  func.return
}

// -----

// Where one of them is an array of the caller, or one is read, it has.
// CHECK-LABEL: func.func @either_is_read
// CHECK: loop.store %v, %own[%n]
// CHECK: loop.store %v, %other[%n]
func.func @either_is_read(%n: index, %v: f64, %first: i1, %out: !loop.buffer<f64>) {
  %w = loop.scratch : f64
  loop.reserve %w, %n : f64
  %a = loop.data %w : f64
  %u = loop.scratch : f64
  loop.reserve %u, %n : f64
  %b = loop.data %u : f64
  %own = arith.select %first, %a, %out : !loop.buffer<f64>
  loop.store %v, %own[%n] : f64
  %other = arith.select %first, %a, %b : !loop.buffer<f64>
  loop.store %v, %other[%n] : f64
  %x = loop.load %b[%n] : f64
  loop.store %x, %out[%n] : f64
  func.return
}

// -----

// Ends of segments that the caller reads.
// CHECK-LABEL: func.func @ends
// CHECK: loop.counter
// CHECK: loop.append
// CHECK: loop.close
func.func @ends(%pos: !loop.buffer<i64>, %lo: index, %hi: index) {
  %count = loop.counter
  loop.for %p = %lo to %hi {
    loop.append %p to %count
    loop.close %pos[%p] at %count : !loop.buffer<i64>
  }
  func.return
}

// -----

// A gap of a sparse row, where a factor annihilates a sum: the sum goes, what is combined with 0 stays.
// CHECK-LABEL: func.func @annihilated
// CHECK-NEXT: loop.for %j = %lo to %hi {
// CHECK-NEXT:   %m = loop.load %out[%lo] : f64
// CHECK-NEXT:   %most = algebra.apply max(%m, %zero) : (f64, f64) -> f64
// CHECK-NEXT:   loop.store %most, %out[%lo] : f64
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @annihilated(%vals: !loop.buffer<f64>, %out: !loop.buffer<f64>, %lo: index, %hi: index, %zero: f64) {
  loop.for %j = %lo to %hi {
    %t = loop.cell %zero : f64
    loop.for %k = %lo to %j {
      %v = loop.load %vals[%k] : f64
      %old = loop.get %t : f64
      %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %m = loop.load %out[%lo] : f64
    %most = algebra.apply max(%m, %zero) : (f64, f64) -> f64
    loop.store %most, %out[%lo] : f64
  }
  func.return
}
