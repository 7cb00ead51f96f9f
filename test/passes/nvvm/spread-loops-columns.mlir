// RUN: irtensor-opt %s --split-input-file -p spread-loops | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'spread-loops{team=1}' | filecheck %s --check-prefix=ALONE

// Each lane goes through the entries alone, for four of its columns at once, two, or one. Sums begin with the value of
// the fill, are in cells, and are stored once. What the fill fills beside the columns is filled.
// CHECK-LABEL: func.func @columns(
// CHECK:       loop.parallel %team = {{.*}} on teams(32) {
// CHECK-NOT:   loop.fill
// CHECK-NOT:   loop.for
// CHECK:       loop.parallel %lane = {{.*}} on lanes {
// CHECK:         [[COLUMNS:%.*]] = arith.maxsi %m, {{%.*}} : index
// CHECK-NEXT:    [[SPAN:%.*]] = arith.constant 128 : index
// CHECK-NEXT:    [[STRIPS:%.*]] = arith.divsi [[COLUMNS]], [[SPAN]] : index
// CHECK:         loop.for {{%.*}} = {{%.*}} to [[STRIPS]] {
// CHECK:           [[PLACE:%.*]] = arith.addi {{%.*}}, %row : index
// CHECK:           [[SUM:%.*]] = loop.cell %zero : f64
// CHECK-NEXT:      [[BEHIND:%.*]] = arith.cmpi sge, [[PLACE]], %end : index
// CHECK-NEXT:      loop.if [[BEHIND]] {
// CHECK-NEXT:        [[OLD:%.*]] = loop.load %y[[[PLACE]]] : f64
// CHECK-NEXT:        loop.set [[OLD]], [[SUM]] : f64
// CHECK-NEXT:      }
// CHECK-COUNT-3:   loop.cell %zero : f64
// CHECK:           loop.for %p = %p0 to %p1 attributes {unroll = 1 : i64} {
// CHECK-NEXT:        %j = loop.load %crd[%p] : index
// CHECK-NOT:         loop.store
// CHECK-NOT:         loop.load %y
// CHECK-COUNT-4:     loop.load %x[
// CHECK-COUNT-4:     algebra.apply mul
// CHECK:             loop.get [[SUM]] : f64
// CHECK-COUNT-3:     loop.get
// CHECK-COUNT-4:     algebra.apply add
// CHECK-COUNT-4:     loop.set
// CHECK-NEXT:      }
// CHECK-NEXT:      [[NEW:%.*]] = loop.get [[SUM]] : f64
// CHECK-NEXT:      loop.store [[NEW]], %y[[[PLACE]]] : f64
// CHECK-COUNT-3:   loop.store
// CHECK:         arith.constant 64 : index
// CHECK:         loop.for %p_1 = %p0 to %p1 attributes {unroll = 1 : i64} {
// CHECK-COUNT-2:   loop.set
// CHECK-NEXT:    }
// CHECK:         loop.for %p_2 = %p0 to %p1 {
// CHECK-COUNT-1:   loop.set
// CHECK-NEXT:    }
// CHECK:         [[REST:%.*]] = arith.maxsi %m, {{%.*}} : index
// CHECK:         arith.addi %row, [[REST]] : index
// CHECK:         loop.store %zero, %y[
// CHECK-NOT:   loop.for
// A thread that has a row to itself adds to the elements.
// ALONE-LABEL: func.func @columns(
// ALONE:       loop.fill
// ALONE:       loop.for %p =
// ALONE:       loop.for %k =
// ALONE:       loop.store {{.*}}, %y[
func.func @columns(%n: index, %m: index, %stride: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %v: !loop.buffer<f64>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %stride : index
    %end = arith.addi %row, %stride : index
    loop.fill %zero, %y[%row to %end] : f64
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      %a = loop.load %v[%p] : f64
      %first = arith.muli %j, %m : index
      loop.for %k = %c0 to %m {
        %from = arith.addi %first, %k : index
        %b = loop.load %x[%from] : f64
        %ab = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %to = arith.addi %row, %k : index
        %old = loop.load %y[%to] : f64
        %new = algebra.apply add(%old, %ab) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
    }
  }
  func.return
}

// -----

// Without a fill, sums begin with what is there, and nothing is loaded if there are no entries. There are no strips of
// several columns where there are known to be fewer. What is computed in the loop over columns, and the same for all of
// them, moves out first.
// CHECK-LABEL: func.func @few(
// CHECK:       [[ROW:%.*]] = arith.muli %i, %c8 : index
// CHECK:       [[MORE:%.*]] = arith.cmpi slt, %p0, %p1 : index
// CHECK-NEXT:  loop.if [[MORE]] {
// CHECK:         loop.parallel %lane = {{.*}} on lanes {
// CHECK-NOT:       unroll
// CHECK:           [[PLACE:%.*]] = arith.addi {{%.*}}, [[ROW]] : index
// CHECK-NEXT:      [[OLD:%.*]] = loop.load %y[[[PLACE]]] : f64
// CHECK-NEXT:      [[SUM:%.*]] = loop.cell [[OLD]] : f64
// CHECK:           loop.for %p = %p0 to %p1 {
// CHECK-NOT:         loop.store
// CHECK:             loop.set {{%.*}}, [[SUM]] : f64
// CHECK:           loop.store {{%.*}}, %y[[[PLACE]]] : f64
// CHECK-NOT:       loop.store
func.func @few(%n: index, %pos: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      loop.for %k = %c0 to %c8 {
        %b = loop.load %x[%k] : f64
        %row = arith.muli %i, %c8 : index
        %to = arith.addi %row, %k : index
        %old = loop.load %y[%to] : f64
        %new = algebra.apply max(%old, %b) : (f64, f64) -> f64
        loop.store %new, %y[%to] : f64
      }
    }
  }
  func.return
}

// -----

// A loop around others is shared where its lanes read neighbours, and those of the loop inside would not.
// CHECK-LABEL: func.func @outer(
// CHECK:       loop.parallel %lane = {{.*}} on lanes {
// CHECK:         loop.for {{%.*}} = {{.*}} {
// CHECK:           %k = arith.addi %lane
// CHECK:           %t = loop.cell %zero : f64
// CHECK:           loop.for %p = %p0 to %p1 {
// CHECK:           loop.store {{%.*}}, %y[
// CHECK-NOT:   loop.reduce
func.func @outer(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = algebra.constant 0.0 : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %row = arith.muli %i, %m : index
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %k = %c0 to %m {
      %t = loop.cell %zero : f64
      loop.for %p = %p0 to %p1 {
        %j = loop.load %crd[%p] : index
        %first = arith.muli %j, %m : index
        %from = arith.addi %first, %k : index
        %b = loop.load %x[%from] : f64
        %old = loop.get %t : f64
        %new = algebra.apply add(%old, %b) fastmath<reassoc> : (f64, f64) -> f64
        loop.set %new, %t : f64
      }
      %sum = loop.get %t : f64
      %to = arith.addi %row, %k : index
      loop.store %sum, %y[%to] : f64
    }
  }
  func.return
}

// -----

// Elements that other iterations add to as well: values are added up first, from nothing, and each sum is added
// atomically. Nothing is where there are no entries.
// CHECK-LABEL: func.func @shared(
// CHECK:       [[MORE:%.*]] = arith.cmpi slt, %p0, %p1 : index
// CHECK-NEXT:  loop.if [[MORE]] {
// CHECK:         loop.parallel %lane = {{.*}} on lanes {
// CHECK:           [[NOTHING:%.*]] = algebra.constant 0.0{{.*}} : f64
// CHECK-NEXT:      [[SUM:%.*]] = loop.cell [[NOTHING]] : f64
// CHECK:           loop.for %p = %p0 to %p1 attributes {unroll = 1 : i64} {
// CHECK-NOT:         loop.atomic
// CHECK:             algebra.apply add({{.*}}) fastmath<reassoc>
// CHECK-COUNT-4:     loop.set
// CHECK-NEXT:      }
// CHECK-NEXT:      [[ALL:%.*]] = loop.get [[SUM]] : f64
// CHECK-NEXT:      loop.atomic {{%.*}}[{{%.*}}] ([[OLD:%.*]]: f64) {
// CHECK-NEXT:        algebra.apply add([[OLD]], [[ALL]]) fastmath<reassoc>
func.func @shared(%n: index, %m: index, %pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = loop.private add %y[%c0 to %m] : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    loop.for %p = %p0 to %p1 {
      %j = loop.load %crd[%p] : index
      %first = arith.muli %j, %m : index
      loop.for %k = %c0 to %m {
        %from = arith.addi %first, %k : index
        %b = loop.load %x[%from] : f64
        %old = loop.load %own[%k] : f64
        %new = algebra.apply add(%old, %b) fastmath<reassoc> : (f64, f64) -> f64
        loop.store %new, %own[%k] : f64
      }
    }
  }
  func.return
}
