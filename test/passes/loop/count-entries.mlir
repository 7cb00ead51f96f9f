// RUN: irtensor-opt --count-entries %s | filecheck %s

// The loop runs twice. What it stores is only computed in the second run, in which there is just enough memory.
// CHECK-LABEL: @sequential
// CHECK: [[COUNT:%.*]] = loop.counter
// CHECK: [[OWN:%.*]] = loop.counter
// CHECK: loop.for %i = %c0 to %n {
// CHECK-NOT: loop.load %x
// CHECK-NOT: loop.store
// CHECK: loop.append %c1 to [[OWN]]
// CHECK: loop.count [[OWN]]
// CHECK: [[ALREADY:%.*]] = loop.count [[COUNT]]
// CHECK: loop.prefix_sum
// CHECK: [[NEW:%.*]] = arith.subi [[TOTAL:%.*]], [[ALREADY]] : index
// CHECK: loop.append [[NEW]] to [[COUNT]]
// CHECK: loop.reserve %y, [[TOTAL]] : f64
// CHECK: loop.for %{{.*}} = %c0 to %n {
// CHECK: loop.load %x
// CHECK-NOT: loop.reserve
// CHECK: loop.store
func.func @sequential(%n: index, %flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %y: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {counted} {
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

// Parts count in parallel, and begin where the parts before them end. An entry that may be none is written behind all
// others where it would be the next part's first.
// CHECK-LABEL: @parallel
// CHECK: loop.parts
// CHECK: loop.parallel %part
// CHECK: loop.for %i
// CHECK: loop.store %{{.*}}, %{{.*}}[%part] : i64
// CHECK: loop.prefix_sum %{{.*}} to %parts]
// CHECK: [[TOTAL:%.*]] = arith.index_cast
// CHECK: loop.append
// CHECK: [[ROOM:%.*]] = arith.addi [[TOTAL]]
// CHECK: loop.reserve %y, [[ROOM]] : f64
// CHECK: loop.parallel %[[PART:.*]] = 
// CHECK: [[START:%.*]] = loop.load %{{.*}}[%[[PART]]] : i64
// CHECK: loop.for
// CHECK: [[PLACE:%.*]] = loop.count
// CHECK: [[COUNTS:%.*]] = arith.cmpi slt, [[PLACE]]
// CHECK: [[AT:%.*]] = arith.select [[COUNTS]], [[PLACE]], [[TOTAL]]
// CHECK: loop.store %{{.*}}, %{{.*}}[[[AT]]] : f64
func.func @parallel(%n: index, %flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %y: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {counted, parallel = "none"} {
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : f64
    %data = loop.data %y : f64
    %c = loop.load %flags[%i] : i1
    %a = loop.load %x[%i] : f64
    loop.store %a, %data[%q] : f64
    %entries = arith.select %c, %c1, %c0 : index
    loop.append %entries to %count
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<f64>
  func.return
}

// Below an entry are values, filled before it is known whether it is one. The last of a part is behind all entries,
// for which there is room.
// CHECK-LABEL: @below
// CHECK: loop.prefix_sum %{{.*}} to %parts]
// CHECK: loop.append
// CHECK-NEXT: [[MORE:%.*]] = arith.addi [[TOTAL:%.*]], %
// CHECK-NEXT: [[ROOM:%.*]] = arith.muli [[MORE]], %m : index
// CHECK-NEXT: loop.reserve %y, [[ROOM]] : f64
// CHECK: loop.parallel
// CHECK: loop.for
// CHECK: [[PLACE:%.*]] = loop.count [[OWN:%.*]]
// CHECK: [[COUNTS:%.*]] = arith.cmpi slt, [[PLACE]]
// CHECK: [[AT:%.*]] = arith.select [[COUNTS]], [[PLACE]], [[TOTAL]]
// CHECK: [[LOWER:%.*]] = arith.muli [[AT]], %m : index
// CHECK: loop.fill %{{.*}}[[[LOWER]] to
// CHECK: loop.if
// CHECK: loop.store %{{.*}}[[[LOWER]]] : f64
// CHECK: loop.append %c1 to [[OWN]]
func.func @below(
  %n: index, %m: index, %flags: !loop.buffer<i1>, %x: !loop.buffer<f64>, %y: !loop.growable<f64>
) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %true = arith.constant true
  %false = arith.constant false
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {counted, parallel = "none"} {
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    %room = arith.muli %more, %m : index
    loop.reserve %y, %room : f64
    %data = loop.data %y : f64
    %first = arith.muli %q, %m : index
    loop.fill %zero, %data[%first to %room] : f64
    %any = loop.cell %false : i1
    %c = loop.load %flags[%i] : i1
    loop.if %c {
      %a = loop.load %x[%i] : f64
      loop.store %a, %data[%first] : f64
      loop.set %true, %any : i1
    }
    %is = loop.get %any : i1
    loop.if %is {
      loop.append %c1 to %count
    }
  }
  loop.assembled %y, %count * %m + %c0 : !loop.growable<f64>
  func.return
}
