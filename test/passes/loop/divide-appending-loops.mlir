// RUN: irtensor-opt %s --split-input-file -p divide-appending-loops | filecheck %s

// Each part counts from 0 and appends to lists of its own, or goes on with the result itself if all parts before it are
// there; then parts are given their starts, lists are copied behind each other, and ends of segments move by the start
// of their part. Memory that only the loop uses is made for each part: there are more parts than threads if each is much
// more work than that.
// CHECK-LABEL: func.func @rows
// CHECK: [[REACHED_MEMORY:%[a-z0-9_]+]] = loop.scratch : i64
// CHECK: [[STARTS:%[a-z0-9_]+]] = loop.scratch : i64
// CHECK: %parts = loop.parts [[WORK:%[a-z0-9_]+]]
// CHECK: [[ELEMENTS:%[a-z0-9_]+]] = arith.addi %{{.*}}, %n : index
// CHECK: [[MUCH:%[a-z0-9_]+]] = arith.muli [[ELEMENTS]], %{{.*}} : index
// CHECK: [[WORTH:%[a-z0-9_]+]] = arith.divsi [[WORK]], [[MUCH]] : index
// CHECK: [[THREADS:%[a-z0-9_]+]] = loop.parts [[WORK]] each
// CHECK: [[LEAST:%[a-z0-9_]+]] = arith.maxsi [[WORTH]], [[THREADS]] : index
// CHECK: [[PARTS:%[a-z0-9_]+]] = arith.minsi %parts, [[LEAST]] : index
// CHECK: [[COUNTS:%[a-z0-9_]+]] = loop.data [[STARTS]] : i64
// CHECK: [[REACHED:%[a-z0-9_]+]] = loop.data [[REACHED_MEMORY]] : i64
// CHECK: loop.parallel %part = [[ZERO:%[a-z0-9_]+]] to [[PARTS]] {
// CHECK:   %set = loop.index_set %n
// CHECK:   loop.load [[REACHED]]{{\[}}[[ZERO]]] {ordered} : i64
// CHECK:   [[NEXT:%[a-z0-9_]+]] = arith.cmpi eq, [[N8:%[a-z0-9_]+]], %part : index
// CHECK:   [[FIRST:%[a-z0-9_]+]] = arith.select [[NEXT]], [[N9:%[a-z0-9_]+]], [[ZERO]] : index
// CHECK:   [[LIST:%[a-z0-9_]+]] = arith.select [[NEXT]], [[ZERO]], %part : index
// CHECK:   %count_1 = loop.counter from [[FIRST]]
// CHECK:   %crd_1 = loop.part_of %crd{{\[}}[[LIST]]] : i64
// CHECK:   loop.for %i = [[LO:%[a-z0-9_]+]] to [[HI:%[a-z0-9_]+]] {
// CHECK:     loop.clear %set
// CHECK:     loop.if
// CHECK:     %q = loop.count %count_1
// CHECK:     loop.reserve %crd_1, %more : i64
// CHECK:     loop.append %one to %count_1
// CHECK:   [[APPENDED:%[a-z0-9_]+]] = arith.subi [[N0:%[a-z0-9_]+]], [[FIRST]] : index
// CHECK:   [[N1:%[a-z0-9_]+]] = arith.index_cast [[APPENDED]] : index to i64
// CHECK:   loop.store [[N1]], [[COUNTS]]{{\[}}%part] : i64
// CHECK:   loop.if [[NEXT]] {
// CHECK:     loop.store [[N10:%[a-z0-9_]+]], [[REACHED]]{{\[}}[[ZERO]]] {ordered} : i64
// CHECK: [[ALREADY:%[a-z0-9_]+]] = loop.count %count
// CHECK: loop.prefix_sum [[COUNTS]]{{\[}}{{%[a-z0-9_]+}} to [[PARTS]]] from [[N2:%[a-z0-9_]+]] : i64
// CHECK: loop.load [[COUNTS]]{{\[}}[[PARTS]]] : i64
// CHECK: [[NEW:%[a-z0-9_]+]] = arith.subi [[TOTAL:%[a-z0-9_]+]], [[ALREADY]] : index
// CHECK: loop.append [[NEW]] to %count
// CHECK: loop.reserve %crd, [[TOTAL]] : i64
// CHECK: loop.parallel
// CHECK:   loop.copy
// CHECK:   loop.for [[P:%[a-z0-9_]+]] = [[N4:%[a-z0-9_]+]] to [[N5:%[a-z0-9_]+]] attributes
// CHECK:     loop.load %pos{{\[}}[[P]]] : i64
// CHECK:     loop.store [[N6:%[a-z0-9_]+]], %pos{{\[}}[[P]]] : i64
// CHECK: loop.assembled %crd, %count * %one + %zero
func.func @rows(%pos: !loop.buffer<i64>, %crd: !loop.growable<i64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.counter
  %set = loop.index_set %n
  loop.for %i = %zero to %n attributes {parallel = "none"} {
    loop.clear %set
    %was = loop.insert %i into %set
    loop.if %was {
      %q = loop.count %count
      %more = arith.addi %q, %one : index
      loop.reserve %crd, %more : i64
      %data = loop.data %crd : i64
      %c = arith.index_cast %i : index to i64
      loop.store %c, %data[%q] : i64
      loop.append %one to %count
    }
    %next = arith.addi %i, %one : index
    loop.close %pos[%next] at %count : !loop.buffer<i64>
  }
  loop.assembled %crd, %count * %one + %zero : !loop.growable<i64>
  func.return
}

// -----

// Rows of unequal work: parts begin where as much lies before them. Every entry is appended, so parts know from the
// positions where their own go. What is listed before the loop, and only read in it, is listed once.
// CHECK-LABEL: func.func @listed
// CHECK: loop.map_list %map
// CHECK: loop.reserve %crd, %{{.*}} : i64
// CHECK: loop.parallel %part
// CHECK-NOT: loop.map_list
// CHECK:   loop.while attributes {search
// CHECK:     loop.load %from
// CHECK:   %count_1 = loop.counter from
// CHECK:   loop.for %i =
// CHECK:     loop.for %p =
// CHECK-NOT: loop.reserve
// CHECK:     loop.append %one to %count_1
// CHECK-NOT: loop.parallel
// CHECK: loop.append %{{.*}} to %count
func.func @listed(%pos: !loop.buffer<i64>, %crd: !loop.growable<i64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.counter
  %map = loop.index_map
  %a = loop.scratch : i64
  %b = loop.scratch : i64
  %c = loop.scratch : i64
  loop.reserve %a, %n : i64
  %from = loop.data %a : i64
  loop.reserve %b, %n : i64
  %list = loop.data %b : i64
  loop.reserve %c, %n : i64
  %slots = loop.data %c : i64
  loop.map_list %map for %n into %from, %list, %slots : !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>
  loop.for %i = %zero to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %one : index
    %l = loop.load %from[%i] : i64
    %lo = arith.index_cast %l : i64 to index
    %h = loop.load %from[%next] : i64
    %hi = arith.index_cast %h : i64 to index
    loop.for %p = %lo to %hi {
      %q = loop.count %count
      %more = arith.addi %q, %one : index
      loop.reserve %crd, %more : i64
      %data = loop.data %crd : i64
      %v = loop.load %list[%p] : i64
      loop.store %v, %data[%q] : i64
      loop.append %one to %count
    }
    loop.close %pos[%next] at %count : !loop.buffer<i64>
  }
  loop.assembled %crd, %count * %one + %zero : !loop.growable<i64>
  func.return
}

// -----

// Ends that go to places further and further on, which do not follow from the index of the loop: each part tells where
// its last went, so that all behind those of the part before it move.
// CHECK-LABEL: func.func @passed_over
// CHECK: [[REACHED_MEMORY:%[a-z0-9_]+]] = loop.scratch : i64
// CHECK: [[STARTS:%[a-z0-9_]+]] = loop.scratch : i64
// CHECK: [[PLACES:%[a-z0-9_]+]] = loop.scratch : i64
// CHECK: [[LAST_PLACES:%[a-z0-9_]+]] = loop.data [[PLACES]] : i64
// CHECK: loop.parallel %part
// CHECK:   loop.for %i
// CHECK:     loop.close %pos[%row] at %count_1
// CHECK:     loop.set %row, [[LAST:%[a-z0-9_]+]] : index
// CHECK:   loop.store [[N0:%[a-z0-9_]+]], [[LAST_PLACES]]{{\[}}%part] : i64
// CHECK: [[HIGHEST:%[a-z0-9_]+]] = arith.maxsi
// CHECK: [[PLACE:%[a-z0-9_]+]] = arith.index_cast [[HIGHEST]] : index to i64
// CHECK: loop.store [[PLACE]], [[LAST_PLACES]]
// CHECK: loop.parallel
// CHECK:   loop.load %pos
// CHECK:   loop.store [[N1:%[a-z0-9_]+]], %pos
// CHECK: loop.assembled
func.func @passed_over(%pos: !loop.buffer<i64>, %rows: !loop.buffer<i64>, %crd: !loop.growable<i64>, %n: index, %v: i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %zero to %n attributes {parallel = "none"} {
    %r = loop.load %rows[%i] : i64
    %some = arith.cmpi slt, %r, %v : i64
    loop.if %some {
      %q = loop.count %count
      %more = arith.addi %q, %one : index
      loop.reserve %crd, %more : i64
      %data = loop.data %crd : i64
      loop.store %v, %data[%q] : i64
      loop.append %one to %count
    }
    %row = arith.index_cast %r : i64 to index
    loop.close %pos[%row] at %count : !loop.buffer<i64>
  }
  loop.assembled %crd, %count * %one + %zero : !loop.growable<i64>
  func.return
}
