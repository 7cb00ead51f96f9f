// RUN: irtensor-opt %s --split-input-file -p place-memory | filecheck %s

// The scratches of all iterations are one, made before the loop, of which each iteration has its own part.
// CHECK-LABEL: func.func @scratch(
// CHECK: [[SCRATCH:%.*]] = loop.scratch : f64
// CHECK: [[MOST:%.*]] = arith.maxsi %{{[mn]}}, %{{[mn]}} : index
// CHECK: loop.reserve [[SCRATCH]], %{{.*}} : f64
// CHECK: [[ALL:%.*]] = loop.data [[SCRATCH]] : f64
// CHECK: loop.parallel %i = %zero to %n {
// CHECK-NOT: loop.scratch
// CHECK: [[FIRST:%.*]] = arith.muli %i, [[MOST]] : index
// CHECK: %d = loop.view [[ALL]][{{.*}}] : f64
// CHECK: loop.store %v, %d[%zero] : f64
func.func @scratch(%n: index, %m: index, %v: f64) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %s = loop.scratch : f64
    loop.reserve %s, %m : f64
    loop.reserve %s, %n : f64
    %d = loop.data %s : f64
    loop.store %v, %d[%zero] : f64
  }
  func.return
}

// -----

// What is zero at first is so in one piece as well. A length that is computed inside is computed before.
// CHECK-LABEL: func.func @zeroed(
// CHECK: loop.scratch {zeroed} : f64
// CHECK: arith.addi %m, %m : index
// CHECK: loop.reserve
// CHECK: loop.parallel
// CHECK: loop.view
func.func @zeroed(%n: index, %m: index, %v: f64) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %twice = arith.addi %m, %m : index
    %s = loop.scratch {zeroed} : f64
    loop.reserve %s, %twice : f64
    %d = loop.data %s : f64
    loop.store %v, %d[%zero] : f64
  }
  func.return
}

// -----

// A set lies in its iteration's part of one piece, and is empty where it is made.
// CHECK-LABEL: func.func @sets(
// CHECK: loop.parallel %i
// CHECK: [[OWN:%.*]] = loop.view
// CHECK: loop.fill %{{.*}}, [[OWN]][%{{.*}} to %{{.*}}] : i64
// CHECK: %s = loop.index_set %m in [[OWN]] : !loop.buffer<i64>
// CHECK: loop.members %s into %list
func.func @sets(%n: index, %m: index, %list: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %s = loop.index_set %m
    %there = loop.insert %i into %s
    %count = loop.members %s into %list : !loop.buffer<i64>
  }
  func.return
}

// -----

// One of the function itself as well. Nothing goes through its members, which it says, as no kernel sees all uses.
// CHECK-LABEL: func.func @own(
// CHECK: loop.fill
// CHECK-NEXT: %s = loop.index_set %n in %{{.*}} : !loop.buffer<i64> {unlisted}
func.func @own(%n: index) {
  %zero = arith.constant 0 : index
  %s = loop.index_set %n
  loop.for %i = %zero to %n {
    %there = loop.insert %i into %s
  }
  func.return
}

// -----

// A map lies in its iteration's part as well. What has an element for each of its pairs has one for as many as the map.
// CHECK-LABEL: func.func @maps(
// CHECK: [[SCRATCH:%.*]] = loop.scratch {zeroed} : i64
// CHECK: loop.reserve [[SCRATCH]], %{{.*}} : i64
// CHECK: %full = loop.data [[SCRATCH]] : i64
// CHECK: [[PAIRS:%.*]] = arith.muli %most, %{{.*}} : index
// CHECK: [[WORDS:%.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: [[ROOM:%.*]] = arith.addi %most, %one : index
// CHECK: loop.parallel %i
// CHECK: [[FIRST:%.*]] = arith.muli %i, [[WORDS]] : index
// CHECK: [[OWN:%.*]] = loop.view %{{.*}}{{\[}}[[FIRST]]] : i64
// CHECK: [[ZEROS:%.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: loop.fill %{{.*}}, [[OWN]][%{{.*}} to [[ZEROS]]] : i64
// CHECK-NEXT: %m = loop.index_map for %most in [[OWN]] : !loop.buffer<i64> full %full : !loop.buffer<i64>
// CHECK: [[PLACE:%.*]] = arith.muli %i, [[ROOM]] : index
// CHECK-NEXT: [[VALUES:%.*]] = loop.view %{{.*}}{{\[}}[[PLACE]]] : f64
// CHECK: [[FULL:%.*]] = loop.load %full
// CHECK: [[IS_ZERO:%.*]] = arith.cmpi eq
// CHECK-NEXT: loop.require [[IS_ZERO]] else 5
func.func @maps(%n: index, %most: index, %v: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.parallel %i = %zero to %n {
    %m = loop.index_map for %most
    %s = loop.scratch : f64
    %slot, %there = loop.map_insert %zero, %i into %m
    %count = arith.addi %slot, %one : index
    loop.reserve %s, %count : f64
    %d = loop.data %s : f64
    loop.store %v, %d[%slot] : f64
  }
  func.return
}

// -----

// Of the function itself: there is room before the loop, which needs the host no more.
// CHECK-LABEL: func.func @map_of_function(
// CHECK: %m = loop.index_map for %most in
// CHECK: [[ROOM:%.*]] = arith.addi %most, %one : index
// CHECK: loop.reserve %s, [[ROOM]] : f64
// CHECK-NEXT: loop.for
// CHECK-NOT: loop.reserve
// CHECK: loop.require
func.func @map_of_function(%n: index, %most: index, %v: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = loop.scratch : f64
  %m = loop.index_map for %most
  loop.for %i = %zero to %n {
    %slot, %there = loop.map_insert %zero, %i into %m
    %count = arith.addi %slot, %one : index
    loop.reserve %s, %count : f64
    %d = loop.data %s : f64
    loop.store %v, %d[%slot] : f64
  }
  func.return
}

// -----

// There is room before the first use, whatever other maps there are behind it.
// CHECK-LABEL: func.func @two_maps(
// CHECK: %a = loop.index_map for %most in
// CHECK: [[ROOM:%.*]] = arith.addi %most, %one : index
// CHECK: loop.reserve %s, [[ROOM]] : f64
// CHECK-NEXT: loop.for
// CHECK: loop.store %v, %d
// CHECK: %b = loop.index_map for %n in
// CHECK-NOT: loop.reserve %s
func.func @two_maps(%n: index, %most: index, %v: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %s = loop.scratch : f64
  %a = loop.index_map for %most
  loop.for %i = %zero to %n {
    %slot, %there = loop.map_insert %zero, %i into %a
    %count = arith.addi %slot, %one : index
    loop.reserve %s, %count : f64
    %d = loop.data %s : f64
    loop.store %v, %d[%slot] : f64
  }
  %b = loop.index_map for %n
  loop.map_clear %b
  func.return
}
