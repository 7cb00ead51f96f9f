// RUN: irtensor-opt %s --split-input-file -p bound-maps | filecheck %s

// Insertions are counted first, by iteration: nothing is computed and nothing is stored. The map is then for as many as
// the largest count.
// CHECK-LABEL: func.func @rows(
// CHECK: %counts = loop.data
// CHECK: loop.parallel %i{{.*}} = %zero to %n {
// CHECK-NOT: loop.index_map
// CHECK-NOT: %values
// CHECK: [[HELD:%.*]] = loop.cell
// CHECK: loop.for %p = [[LO:%.*]] to
// CHECK: [[BEFORE:%.*]] = loop.get [[HELD]] : index
// CHECK: [[AFTER:%.*]] = arith.addi [[BEFORE]]
// CHECK: loop.set [[AFTER]], [[HELD]] : index
// CHECK-NOT: loop.map_insert
// CHECK: loop.store %{{.*}}, %counts[{{.*}}] : i64
// CHECK: }
// CHECK: [[MOST:%.*]] = loop.cell
// CHECK: loop.for
// CHECK: loop.load %counts
// CHECK: arith.maxsi
// CHECK: %most = loop.get [[MOST]] : index
// CHECK: loop.parallel %i{{.*}} = %zero to %n {
// CHECK: %m = loop.index_map for %most
// CHECK: loop.map_insert %zero, %{{.*}} into %m
func.func @rows(%n: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %values: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.parallel %i = %zero to %n {
    %m = loop.index_map
    %next = arith.addi %i, %one : index
    %lo = loop.load %pos[%i] : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : index
      %slot, %there = loop.map_insert %zero, %j into %m
      %old = loop.load %values[%slot] : f64
      loop.store %old, %values[%p] : f64
    }
  }
  func.return
}

// -----

// Where a map is cleared, counting begins anew: what counts is the fullest that it is.
// CHECK-LABEL: func.func @cleared(
// CHECK: loop.parallel
// CHECK: loop.for
// CHECK: [[MOST:%.*]] = arith.maxsi
// CHECK-NEXT: loop.set [[MOST]], [[CELL:%.*]] : index
// CHECK-NEXT: loop.set %{{.*}}, [[HELD:%.*]] : index
// CHECK: loop.for
// CHECK: loop.set %{{.*}}, [[HELD]] : index
// CHECK: loop.store %{{.*}}, %counts
// CHECK: loop.index_map for %most
func.func @cleared(%n: index, %k: index) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %m = loop.index_map
    loop.for %round = %zero to %k {
      loop.map_clear %m
      loop.for %j = %zero to %round {
        %slot, %there = loop.map_insert %zero, %j into %m
      }
    }
  }
  func.return
}

// -----

// What is put into the second map depends on what the first one holds, which is there when the second is counted.
// CHECK-LABEL: func.func @one_after_the_other(
// CHECK: loop.parallel
// CHECK-NOT: loop.index_map
// CHECK: %most = loop.get
// CHECK: loop.parallel
// CHECK: %a = loop.index_map for %most
// CHECK: loop.map_count %a
// CHECK-NOT: loop.index_map
// CHECK: loop.store %{{.*}}, %counts
// CHECK: %most_1 = loop.get
// CHECK: loop.parallel
// CHECK: %b = loop.index_map for %most_1
// CHECK-NEXT: %a_1 = loop.index_map for %most
func.func @one_after_the_other(%n: index, %x: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %b = loop.index_map
    %a = loop.index_map
    loop.for %p = %zero to %i {
      %j = loop.load %x[%p] : index
      %slot, %there = loop.map_insert %zero, %j into %a
    }
    %count = loop.map_count %a
    loop.for %q = %zero to %count {
      %slot, %there = loop.map_insert %zero, %q into %b
    }
  }
  func.return
}

// -----

// A map of the function: what comes before its last insertion is run twice. Of a slot that is kept until it is needed
// only matters that it is no negative number.
// CHECK-LABEL: func.func @own(
// CHECK: loop.for
// CHECK: [[KEPT:%.*]] = loop.cell
// CHECK: loop.for
// CHECK: arith.cmpi slt
// CHECK: loop.if
// CHECK-NOT: loop.map_insert
// CHECK: loop.set %{{.*}}, [[KEPT]] : index
// CHECK: %most = loop.get
// CHECK: %m = loop.index_map for %most
// CHECK: loop.map_insert
func.func @own(%n: index, %x: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %none = arith.constant -1 : index
  %m = loop.index_map
  loop.for %i = %zero to %n {
    %kept = loop.cell %none : index
    loop.for %j = %zero to %i {
      %slot = loop.get %kept : index
      %missing = arith.cmpi slt, %slot, %zero : index
      loop.if %missing {
        %new, %there = loop.map_insert %zero, %i into %m
        loop.set %new, %kept : index
      }
      %place = loop.get %kept : index
      %v = loop.load %x[%j] : f64
      loop.store %v, %x[%place] : f64
    }
  }
  func.return
}

// -----

// What is stored through a buffer that is one of two is not stored in the run that counts, after the last insertion.
// CHECK-LABEL: func.func @then_in_parts(
// CHECK: %counts = loop.data
// CHECK: loop.for
// CHECK-NOT: loop.map_insert
// CHECK-NOT: loop.parallel
// CHECK: %m = loop.index_map for %most
// CHECK: loop.map_insert
// CHECK: loop.parallel
func.func @then_in_parts(%n: index, %out: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %w = loop.scratch : index
  loop.reserve %w, %n : index
  %rest = loop.data %w : index
  %m = loop.index_map
  loop.for %i = %zero to %n {
    %slot, %there = loop.map_insert %zero, %i into %m
  }
  %held = loop.map_count %m
  loop.parallel %p = %zero to %n {
    %first = arith.cmpi eq, %p, %zero : index
    %own = arith.select %first, %out, %rest : !loop.buffer<index>
    loop.store %held, %own[%p] : index
  }
  func.return
}
