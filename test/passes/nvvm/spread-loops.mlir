// RUN: irtensor-opt %s --split-input-file -p spread-loops | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'spread-loops{team=1}' | filecheck %s --check-prefix=ALONE
// RUN: irtensor-opt %s --split-input-file -p 'spread-loops{deterministic=true}' | filecheck %s --check-prefix=SAME
// RUN: irtensor-opt %s --split-input-file -p 'spread-loops{team=128}' | filecheck %s --check-prefix=BLOCK

// A team of 32 lanes for each row. Each lane sums up every 32nd entry of the row, and one of them stores the sum.
// CHECK-LABEL: func.func @rows(
// CHECK:       [[MORE:%.*]] = arith.addi %n, {{%.*}} : index
// CHECK:       [[BLOCKS:%.*]] = arith.divsi [[MORE]]
// CHECK:       loop.parallel %block = {{%.*}} to [[BLOCKS]] on blocks(128) {
// CHECK:       loop.parallel %team = {{%.*}} to {{%.*}} on teams(32) {
// CHECK:       [[IN:%.*]] = arith.cmpi slt, %i, %n : index
// CHECK:       loop.if [[IN]] {
// CHECK:       %t = loop.cell
// CHECK:       loop.parallel %lane = {{%.*}} to {{%.*}} on lanes {
// CHECK:       %t_1 = loop.cell
// CHECK:       loop.for
// CHECK:       loop.set {{%.*}}, %t_1
// CHECK:       loop.reduce {{%.*}} into %t ({{%.*}}: f64, {{%.*}}: f64) {
// CHECK-NEXT:  algebra.apply add
// CHECK:       loop.store {{%.*}}, %y[%i]
// A thread for each row where teams have one lane.
// ALONE-LABEL: func.func @rows(
// ALONE:       on blocks(128) {
// ALONE:       loop.parallel %thread = {{%.*}} to {{%.*}} on threads {
// ALONE-NOT:   on lanes
// ALONE-NOT:   loop.reduce
// ALONE:       func.return
// All threads of a block share a row: each warp adds up what its lanes have, and all threads add up what the warps have.
// BLOCK-LABEL: func.func @rows(
// BLOCK:       loop.parallel %i = {{.*}} on blocks(128) {
// BLOCK:       [[SUMS:%.*]] = loop.shared 4 : f64
// BLOCK:       %t = loop.cell
// BLOCK:       loop.parallel %team = {{.*}} on teams(32) {
// BLOCK:       loop.parallel %lane = {{.*}} on lanes {
// BLOCK:       loop.reduce
// BLOCK:       loop.store {{.*}}, [[SUMS]][%team]
// BLOCK-COUNT-4: loop.set {{.*}}, %t
// BLOCK:       loop.store {{.*}}, %y[%i]
func.func @rows(%n: index, %pos: !loop.buffer<index>, %v: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %t = loop.cell %zero : f64
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %x = loop.load %v[%p] : f64
      %old = loop.get %t : f64
      %new = algebra.apply add(%old, %x) fastmath<reassoc> : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.store %sum, %y[%i] : f64
  }
  func.return
}

// -----

// Elements that iterations share change atomically. A fill in front is an element for each thread, unless its value is a
// pattern of bytes, for which fold-fills needs no kernel.
// CHECK-LABEL: func.func @columns(
// CHECK:       loop.fill %zero, %y[%c0 to %m]
// CHECK:       on threads {
// CHECK:       loop.store %one, %z[
// CHECK:       on lanes {
// CHECK:       loop.atomic {{%.*}}[{{%.*}}] ([[OLD:%.*]]: f64) {
// CHECK-NEXT:  algebra.apply add([[OLD]], {{%.*}}) fastmath<reassoc>
// CHECK-NOT:   loop.private
// CHECK:       func.return
// Rounding depends on the order in which threads come, so that parts have copies where each call is to give the same.
// SAME-LABEL:  func.func @columns(
// SAME:        loop.private add
// SAME:        loop.for %j = {{.*}} attributes {parallel = "automatic"}
func.func @columns(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %v: !loop.buffer<f64>, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  %one = algebra.constant 1.0 : f64
  loop.fill %zero, %y[%c0 to %m] : f64
  loop.fill %one, %z[%c0 to %m] : f64
  %own = loop.private add %y[%c0 to %m] : f64
  loop.for %j = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %j, %c1 : index
    %p0 = loop.load %pos[%j] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %i = loop.load %crd[%p] : index
      %x = loop.load %v[%p] : f64
      %old = loop.load %own[%i] : f64
      %new = algebra.apply add(%old, %x) fastmath<reassoc> : (f64, f64) -> f64
      loop.store %new, %own[%i] : f64
    }
  }
  func.return
}

// -----

// A complex number is no word of the machine, so that parts have copies: this is left to other passes.
// CHECK-LABEL: func.func @complex(
// CHECK:       loop.private add
// CHECK:       loop.for %i = {{.*}} attributes {parallel = "automatic"}
func.func @complex(%n: index, %crd: !loop.buffer<index>, %v: !loop.buffer<complex<f64>>, %y: !loop.buffer<complex<f64>>) {
  %c0 = arith.constant 0 : index
  %own = loop.private add %y[%c0 to %n] : complex<f64>
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %j = loop.load %crd[%i] : index
    %x = loop.load %v[%i] : complex<f64>
    %old = loop.load %own[%j] : complex<f64>
    %new = algebra.apply add(%old, %x) fastmath<reassoc> : (complex<f64>, complex<f64>) -> complex<f64>
    loop.store %new, %own[%j] : complex<f64>
  }
  func.return
}

// -----

// Each iteration of the loop inside reads what the one before has written: a thread does all of them.
// CHECK-LABEL: func.func @one_after_the_other(
// CHECK:       on threads
// CHECK-NOT:   on lanes
// CHECK:       func.return
func.func @one_after_the_other(%n: index, %m: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    loop.for %k = %c1 to %m {
      %at = arith.addi %row, %k : index
      %before = arith.subi %at, %c1 : index
      %v = loop.load %y[%before] : f64
      loop.store %v, %y[%at] : f64
    }
  }
  func.return
}

// -----

// Sums whose order counts are left to one thread; integers have no such order.
// CHECK-LABEL: func.func @ordered(
// CHECK:       on threads
// CHECK-NOT:   on lanes
// CHECK:       func.return
func.func @ordered(%n: index, %m: index, %v: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %t = loop.cell %zero : f64
    loop.for %k = %c0 to %m {
      %x = loop.load %v[%k] : f64
      %old = loop.get %t : f64
      %new = algebra.apply add(%old, %x) : (f64, f64) -> f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.store %sum, %y[%i] : f64
  }
  func.return
}

// -----

// What is appended is counted by parts, which other passes make.
// CHECK-LABEL: func.func @appends(
// CHECK:       loop.for %i = {{.*}} attributes {parallel = "automatic"}
func.func @appends(%n: index, %crd: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %at = loop.count %count
    %room = arith.addi %at, %c1 : index
    loop.reserve %crd, %room : index
    %data = loop.data %crd : index
    loop.store %i, %data[%at] : index
    loop.append %c1 to %count
  }
  func.return
}

// -----

// Arguments say how many iterations a team shares: an extent, and positions of which both bounds are loaded.
// CHECK-LABEL: func.func @arguments_say_it(
// CHECK-SAME:  attributes {lane_iterations = array<i64: 1, 2>}
func.func @arguments_say_it(%n: index, %m: index, %pos: !loop.buffer<i64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    loop.for %k = %c0 to %m {
      %at = arith.addi %row, %k : index
      loop.store %zero, %y[%at] : f64
    }
    %next = arith.addi %i, %c1 : index
    %first = loop.load %pos[%i] : i64
    %lo = arith.index_cast %first : i64 to index
    %last = loop.load %pos[%next] : i64
    %hi = arith.index_cast %last : i64 to index
    loop.for %p = %lo to %hi {
      loop.store %zero, %y[%p] : f64
    }
  }
  func.return
}

// -----

// A number of iterations that is known says nothing of what operands have; where all are known, so is the team.
// CHECK-LABEL: func.func @known(
// CHECK-NOT:   lane_iterations
// CHECK:       on teams(8)
func.func @known(%n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %c6 : index
    loop.for %k = %c0 to %c6 {
      %at = arith.addi %row, %k : index
      loop.store %zero, %y[%at] : f64
    }
  }
  func.return
}

// -----

// One loop of which no argument says it is enough to leave it at a warp, and so is a schedule.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT:   lane_iterations
// CHECK:       on teams(32)
// CHECK:       on teams(4)
func.func @unknown(%n: index, %m: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %n : index
    loop.for %k = %c0 to %i {
      %at = arith.addi %row, %k : index
      loop.store %zero, %y[%at] : f64
    }
  }
  loop.for %i = %c0 to %n attributes {parallel = "automatic", team = 4 : i64} {
    %row = arith.muli %i, %m : index
    loop.for %k = %c0 to %m {
      %at = arith.addi %row, %k : index
      loop.store %zero, %y[%at] : f64
    }
  }
  func.return
}

// -----

// Of a marked loop and a parallel one inside of it, the inner one is spread, and the host goes through the outer one.
// CHECK-LABEL: func.func @parallel_inside(
// CHECK:       loop.for %i
// CHECK:       on blocks(128)
// CHECK:       on threads
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
