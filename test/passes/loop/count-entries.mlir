// RUN: irtensor-opt --count-entries %s | filecheck %s

// The loop runs twice. What it stores is only computed in the second run, in which there is just enough memory.
// CHECK-LABEL: @sequential
// CHECK: [[COUNT:%.*]] = loop.cell
// CHECK: [[OWN:%.*]] = loop.cell
// CHECK: loop.for %i = %c0 to %n {
// CHECK-NOT: loop.load %x
// CHECK-NOT: loop.store
// CHECK: loop.set %{{.*}}, [[OWN]] : index
// CHECK: loop.for
// CHECK: loop.set %{{.*}}, [[COUNT]] : index
// CHECK: [[TOTAL:%.*]] = loop.get [[COUNT]] : index
// CHECK: loop.reserve %y, [[TOTAL]] : f64
// CHECK: loop.for %{{.*}} = %c0 to %n {
// CHECK: loop.load %x
// CHECK-NOT: loop.reserve
// CHECK: loop.store
func.func @sequential(%n: index, %flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %y: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.cell %c0 : index
  loop.for %i = %c0 to %n attributes {counted} {
    %q = loop.get %count : index
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : f64
    %data = loop.data %y : f64
    %c = loop.load %flags[%i] : i1
    loop.if %c {
      %a = loop.load %x[%i] : f64
      loop.store %a, %data[%q] : f64
      loop.set %more, %count : index
    }
  }
  %end = loop.get %count : index
  loop.set_size %y, %end : f64
  func.return
}

// Parts count in parallel, and begin where the parts before them end. An entry that may be none is written behind all
// others where it would be the next part's first.
// CHECK-LABEL: @parallel
// CHECK: loop.parts
// CHECK: loop.parallel %part
// CHECK: loop.for %i
// CHECK: loop.store %{{.*}}, %{{.*}}[%part] : i64
// CHECK: loop.set
// CHECK: [[TOTAL:%.*]] = loop.get %{{.*}} : index
// CHECK: [[ROOM:%.*]] = arith.addi [[TOTAL]]
// CHECK: loop.reserve %y, [[ROOM]] : f64
// CHECK: loop.parallel %[[PART:.*]] = 
// CHECK: [[START:%.*]] = loop.load %{{.*}}[%[[PART]]] : i64
// CHECK: loop.for
// CHECK: [[PLACE:%.*]] = loop.get
// CHECK: [[COUNTS:%.*]] = arith.cmpi slt, [[PLACE]]
// CHECK: [[AT:%.*]] = arith.select [[COUNTS]], [[PLACE]], [[TOTAL]]
// CHECK: loop.store %{{.*}}, %{{.*}}[[[AT]]] : f64
func.func @parallel(%n: index, %flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %y: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.cell %c0 : index
  loop.for %i = %c0 to %n attributes {counted, parallel = "none"} {
    %q = loop.get %count : index
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : f64
    %data = loop.data %y : f64
    %c = loop.load %flags[%i] : i1
    %a = loop.load %x[%i] : f64
    loop.store %a, %data[%q] : f64
    %next = arith.select %c, %more, %q : index
    loop.set %next, %count : index
  }
  %end = loop.get %count : index
  loop.set_size %y, %end : f64
  func.return
}
