// RUN: irtensor-opt %s -p tile-for-registers | filecheck %s
// RUN: irtensor-opt %s -p 'tile-for-registers{width=256 rows=2 steps=16 block=32}' | filecheck %s --check-prefix=SMALL

// A product of dense matrices. Loops that are too short, and rows that may overlap, are left as they are.
// CHECK-LABEL: func.func @product
// CHECK: [[ROWS:%[0-9]+]] = arith.constant 12 : index
// CHECK: arith.cmpi sge, %n, [[ROWS]] : index
// CHECK: arith.cmpi sle, %m, %stride : index
// CHECK: loop.if
// CHECK: loop.reserve
// Rows are filled for a block, before it.
// CHECK: loop.for %i
// CHECK: loop.fill
// CHECK: }
// A copy of a vector for each step of a block.
// CHECK: loop.for %k
// CHECK: [[B:%[0-9]+]] = loop.load %b{{.*}} : vector<8xf64>
// CHECK-NEXT: loop.store [[B]], [[COPY:%[0-9]+]]
// CHECK: arith.select {{.*}} : !loop.buffer<f64>
// CHECK-COUNT-6: loop.cell {{.*}} : vector<8xf64>
// CHECK: loop.for %k
// CHECK-COUNT-6: loop.load %a{{.*}} : f64
// CHECK: loop.load [[COPY]]{{.*}} : vector<8xf64>
// CHECK-COUNT-6: loop.set {{.*}} : vector<8xf64>
// CHECK: }
// CHECK-COUNT-6: loop.store {{.*}} : vector<8xf64>
// CHECK: } else {
// CHECK: loop.for %i
// CHECK-NOT: vector
// SMALL-LABEL: func.func @product
// SMALL-COUNT-2: loop.cell {{.*}} : vector<4xf64>
// SMALL-NOT: loop.cell
// SMALL-LABEL: func.func @workspace
func.func @product(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index, %stride: index) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  loop.for %i = %zero to %n {
    %row = arith.muli %i, %stride : index
    %end = arith.addi %row, %stride : index
    loop.fill %none, %c[%row to %end] : f64
    %first = arith.muli %i, %l : index
    loop.for %k = %zero to %l {
      %place = arith.addi %first, %k : index
      %x = loop.load %a[%place] : f64
      %start = arith.muli %k, %m : index
      loop.for %j = %zero to %m {
        %from = arith.addi %start, %j : index
        %y = loop.load %b[%from] : f64
        %z = arith.mulf %x, %y : f64
        %to = arith.addi %row, %j : index
        %old = loop.load %c[%to] : f64
        %new = arith.addf %old, %z : f64
        loop.store %new, %c[%to] : f64
      }
    }
  }
  func.return
}

// A workspace that every row fills has a row for each of a block, of which the part after the reduction has a view.
// CHECK-LABEL: func.func @workspace
// CHECK: loop.for %i
// CHECK: [[VIEW:%[0-9]+]] = loop.view
// CHECK: loop.fill {{.*}}, [[VIEW]]
// CHECK: loop.for %k
// CHECK: loop.for %i
// CHECK: [[VIEW:%[0-9]+]] = loop.view
// CHECK: loop.load [[VIEW]]
// CHECK: loop.store {{.*}}, %c
// CHECK: } else {
func.func @workspace(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  %w = loop.scratch : f64
  loop.reserve %w, %m : f64
  %sums = loop.data %w : f64
  loop.for %i = %zero to %n {
    loop.fill %none, %sums[%zero to %m] : f64
    %row = arith.muli %i, %m : index
    loop.for %k = %zero to %n {
      %x = loop.load %a[%k] : f64
      %start = arith.muli %k, %m : index
      loop.for %j = %zero to %m {
        %from = arith.addi %start, %j : index
        %y = loop.load %b[%from] : f64
        %z = arith.mulf %x, %y : f64
        %old = loop.load %sums[%j] : f64
        %new = arith.addf %old, %z : f64
        loop.store %new, %sums[%j] : f64
      }
    }
    loop.for %j = %zero to %m {
      %to = arith.addi %row, %j : index
      %sum = loop.load %sums[%j] : f64
      %positive = arith.maximumf %sum, %none : f64
      loop.store %positive, %c[%to] : f64
    }
  }
  func.return
}

// What follows the reduction adds to a cell of all rows, in their order: the loop over the rows of a block does so.
// CHECK-LABEL: func.func @total
// CHECK: [[TOTAL:%[a-z]+]] = loop.cell
// CHECK: loop.if
// CHECK: loop.for %k
// CHECK: loop.for %i
// CHECK: loop.get [[TOTAL]]
// CHECK: loop.set {{.*}}, [[TOTAL]]
// CHECK: } else {
func.func @total(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  %w = loop.scratch : f64
  loop.reserve %w, %m : f64
  %sums = loop.data %w : f64
  %total = loop.cell %none : f64
  loop.for %i = %zero to %n {
    loop.fill %none, %sums[%zero to %m] : f64
    loop.for %k = %zero to %n {
      %x = loop.load %a[%k] : f64
      %start = arith.muli %k, %m : index
      loop.for %j = %zero to %m {
        %from = arith.addi %start, %j : index
        %y = loop.load %b[%from] : f64
        %z = arith.mulf %x, %y : f64
        %old = loop.load %sums[%j] : f64
        %new = arith.addf %old, %z : f64
        loop.store %new, %sums[%j] : f64
      }
    }
    loop.for %j = %zero to %m {
      %sum = loop.load %sums[%j] : f64
      %before = loop.get %total : f64
      %after = arith.addf %before, %sum : f64
      loop.set %after, %total : f64
    }
  }
  %all = loop.get %total : f64
  loop.store %all, %c[%zero] : f64
  func.return
}
