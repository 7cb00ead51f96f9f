// RUN: irtensor-opt %s --split-input-file -p count-all-entries | filecheck %s

// Iterations of a parallel loop count for themselves, and begin where those before them end.
// CHECK-LABEL: func.func @parallel(
// CHECK:       %parts = arith.maxsi %n, {{.*}} : index
// CHECK:       loop.parallel %part = {{.*}} to %parts {
// CHECK:       [[OWN:%.*]] = loop.counter
// CHECK:       [[NEXT:%.*]] = arith.addi %part
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
func.func @sequential(%n: index, %x: !loop.buffer<f64>, %y: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n {
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : f64
    %data = loop.data %y : f64
    %a = loop.load %x[%i] : f64
    loop.store %a, %data[%q] : f64
    loop.append %c1 to %count
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<f64>
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
