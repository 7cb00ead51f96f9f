// What does not move out of the loops around it.
// RUN: irtensor-opt %s --split-input-file -p spread-loops | filecheck %s

// Elements that are in another place in each iteration.
// CHECK-LABEL: func.func @scattered(
// CHECK:       on teams(32) {
// CHECK:       loop.for %p = %p0 to %p1 {
// CHECK:         loop.parallel %lane = {{.*}} on lanes {
// CHECK:           loop.store {{%.*}}, %y[
func.func @scattered(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    %end = arith.addi %row, %m : index
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      %place = arith.muli %j, %m : index
      loop.for %k = %c0 to %m {
        %b = loop.load %x[%k] : f64
        %to = arith.addi %place, %k : index
        %old = loop.load %y[%to] : f64
        %new = algebra.apply add(%old, %b) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
    }
  }
  func.return
}

// -----

// Rows of several lengths.
// CHECK-LABEL: func.func @lengths(
// CHECK:       on teams(32) {
// CHECK:       loop.for %p = %p0 to %p1 {
// CHECK:         loop.parallel %lane = {{.*}} on lanes {
// CHECK:           loop.store {{%.*}}, %y[
func.func @lengths(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    %end = arith.addi %row, %m : index
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      loop.for %k = %c0 to %j {
        %b = loop.load %x[%k] : f64
        %to = arith.addi %row, %k : index
        %old = loop.load %y[%to] : f64
        %new = algebra.apply add(%old, %b) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
    }
  }
  func.return
}

// -----

// Elements that are read between the loops: a lane would have changed its own only.
// CHECK-LABEL: func.func @read(
// CHECK:       on teams(32) {
// CHECK:       loop.for %p = %p0 to %p1 {
// CHECK:         loop.parallel %lane = {{.*}} on lanes {
// CHECK:           loop.store {{%.*}}, %y[
func.func @read(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    %end = arith.addi %row, %m : index
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      %first = loop.load %y[%row] : f64
      loop.for %k = %c0 to %m {
        %b = loop.load %x[%k] : f64
        %to = arith.addi %row, %k : index
        %old = loop.load %y[%to] : f64
        %new = algebra.apply add(%old, %b) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
    }
  }
  func.return
}

// -----

// Elements that are computed from those beside them: one after the other, by one thread.
// CHECK-LABEL: func.func @neighbours(
// CHECK:       on threads {
// CHECK:       loop.for %p = %p0 to %p1 {
// CHECK:         loop.for %k = {{.*}} {
// CHECK-NOT:   on lanes
func.func @neighbours(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    %end = arith.addi %row, %m : index
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      loop.for %k = %c0 to %m {
        %b = loop.load %x[%k] : f64
        %to = arith.addi %row, %k : index
        %beside = arith.addi %to, %c1 : index
        %old = loop.load %y[%beside] : f64
        %new = algebra.apply add(%old, %b) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
    }
  }
  func.return
}

// -----

// What iterations tell the next one in a cell of the code around.
// CHECK-LABEL: func.func @told(
// CHECK:       on teams(32) {
// CHECK:       loop.for %p = %p0 to %p1 {
// CHECK:         loop.parallel %lane = {{.*}} on lanes {
// CHECK:           loop.store {{%.*}}, %y[
func.func @told(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    %end = arith.addi %row, %m : index
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    %last = loop.cell %c0 : index
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      %before = loop.get %last : index
      loop.for %k = %c0 to %m {
        %b = loop.load %x[%k] : f64
        %to = arith.addi %row, %k : index
        %old = loop.load %y[%to] : f64
        %new = algebra.apply add(%old, %b) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
      loop.set %j, %last : index
    }
  }
  func.return
}

// -----

// Sums begin with a fill only if nothing changes elements in between.
// CHECK-LABEL: func.func @filled(
// CHECK:       on lanes {
// CHECK:         loop.store %zero, %y[
// CHECK:       loop.store {{%.*}}, %y[%row] : f64
// CHECK:       on lanes {
// CHECK:         [[OLD:%.*]] = loop.load %y[
// CHECK-NEXT:    loop.cell [[OLD]] : f64
// CHECK:         loop.for %p = %p0 to %p1 attributes {unroll = 1 : i64} {
func.func @filled(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    %end = arith.addi %row, %m : index
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.fill %zero, %y[%row to %end] : f64
    %one = loop.load %x[%c0] : f64
    loop.store %one, %y[%row] : f64
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      loop.for %k = %c0 to %m {
        %b = loop.load %x[%k] : f64
        %to = arith.addi %row, %k : index
        %old = loop.load %y[%to] : f64
        %new = algebra.apply add(%old, %b) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
    }
  }
  func.return
}

// -----

// Floating-point numbers that are added atomically, and may not be added to each other first.
// CHECK-LABEL: func.func @shared(
// CHECK:       loop.for %p = %p0 to %p1 {
// CHECK:         loop.parallel %lane = {{.*}} on lanes {
// CHECK:           loop.atomic
func.func @shared(%n: index, %m: index, %pos: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = loop.private add %y[%c0 to %m] : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      loop.for %k = %c0 to %m {
        %b = loop.load %x[%k] : f64
        %old = loop.load %own[%k] : f64
        %new = algebra.apply add(%old, %b) : (f64, f64) -> f64
        loop.store %new, %own[%k] : f64
      }
    }
  }
  func.return
}
