// RUN: irtensor-opt %s -p accumulate-in-registers | filecheck %s
// RUN: irtensor-opt %s -p 'accumulate-in-registers{width=256 registers=2}' | filecheck %s --check-prefix=SMALL

// Rows of a sparse matrix times a dense one: strips of 32 columns stay in four vector cells while the row is reduced.
// CHECK-LABEL: func.func @spmm
// CHECK: loop.for %i =
// CHECK: loop.if %{{.*}} {
// The end of the row, at most 8 columns, is read before all strips.
// CHECK: [[END:%[0-9]+]] = arith.maxsi %0, %{{[0-9]+}} : index
// CHECK: [[OLD:%[0-9]+]] = loop.load %y_vals{{.*}} : vector<4xf64>
// CHECK-NEXT: [[OLDER:%[0-9]+]] = loop.load %y_vals{{.*}} : vector<4xf64>
// CHECK: loop.for [[STRIP:%[a-z0-9_]+]] =
// The last strip may be filled by half: vectors that would go beyond the row end with it.
// CHECK: [[LAST:%[0-9]+]] = arith.subi %{{[0-9]+}}, %{{[0-9]+}} : index
// CHECK-COUNT-2: arith.minsi %{{[0-9]+}}, [[LAST]] : index
// CHECK-COUNT-4: loop.cell {{.*}} : vector<8xf64>
// CHECK: loop.for {{.*}} {
// CHECK: vector.broadcast {{.*}} : f64 to vector<8xf64>
// CHECK-COUNT-4: loop.set {{.*}} : vector<8xf64>
// CHECK-NOT: loop.store
// CHECK: }
// CHECK-COUNT-4: loop.store {{.*}}, %y_vals{{.*}} : vector<8xf64>
// Then 16 columns, and the end of the row, if any are left of it, from what was there before all strips.
// CHECK: [[DONE:%[0-9]+]] = arith.minsi %{{[0-9]+}}, %C_n1 : index
// CHECK: loop.for
// CHECK-COUNT-2: loop.cell {{.*}} : vector<8xf64>
// CHECK: [[ALL:%[0-9]+]] = arith.minsi %{{[0-9]+}}, %C_n1 : index
// CHECK: [[LEFT:%[0-9]+]] = arith.cmpi slt, [[ALL]], %C_n1 : index
// CHECK-NEXT: loop.if [[LEFT]] {
// CHECK: loop.cell [[OLD]] : vector<4xf64>
// CHECK-NEXT: loop.cell [[OLDER]] : vector<4xf64>
// Shorter rows are done as they were.
// CHECK: } else {
// CHECK-NOT: vector<
// CHECK: loop.store {{.*}} : f64
// SMALL-LABEL: func.func @spmm
// SMALL-COUNT-2: loop.load {{.*}} : vector<2xf64>
// SMALL-COUNT-2: loop.cell {{.*}} : vector<4xf64>
// SMALL-NOT: vector<8xf64>
func.func @spmm(%B_n0: index, %B_n1: index, %B_pos1: !loop.buffer<i64>, %B_crd1: !loop.buffer<i64>, %B_vals: !loop.buffer<f64>, %C_n0: index, %C_n1: index, %C_vals: !loop.buffer<f64>, %y_n0: index, %y_n1: index, %y_vals: !loop.buffer<f64>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.muli %y_n0, %y_n1 : index
  %3 = arith.constant 0.000000e+00 : f64
  loop.fill %3, %y_vals[%0 to %2] : f64
  loop.for %i = %0 to %B_n0 {
    %4 = arith.addi %i, %1 : index
    %5 = loop.load %B_pos1[%i] : i64
    %6 = arith.index_cast %5 : i64 to index
    %7 = loop.load %B_pos1[%4] : i64
    %8 = arith.index_cast %7 : i64 to index
    %9 = arith.muli %i, %y_n1 : index
    loop.for %p = %6 to %8 {
      %10 = loop.load %B_crd1[%p] : i64
      %11 = arith.index_cast %10 : i64 to index
      %12 = loop.load %B_vals[%p] : f64
      %13 = arith.muli %11, %C_n1 : index
      loop.for %j = %0 to %C_n1 {
        %14 = arith.addi %13, %j : index
        %15 = loop.load %C_vals[%14] : f64
        %16 = arith.addi %9, %j : index
        %p_1 = arith.mulf %12, %15 fastmath<contract> : f64
        %17 = loop.load %y_vals[%16] : f64
        %18 = arith.addf %17, %p_1 fastmath<reassoc,contract> : f64
        loop.store %18, %y_vals[%16] : f64
      }
    }
  }
  func.return
}

// Elements of other types are converted as vectors.
// CHECK-LABEL: func.func @converted
// CHECK: [[ELEMENTS:%.*]] = loop.load %C_vals{{.*}} : vector<8xi32>
// CHECK: llvm.sitofp [[ELEMENTS]] : vector<8xi32> to vector<8xf64>
func.func @converted(%n: index, %m: index, %crd: !loop.buffer<i64>, %vals: !loop.buffer<f64>, %C_vals: !loop.buffer<i32>, %y: !loop.buffer<f64>) {
  %0 = arith.constant 0 : index
  loop.for %p = %0 to %n {
    %1 = loop.load %crd[%p] : i64
    %2 = arith.index_cast %1 : i64 to index
    %3 = loop.load %vals[%p] : f64
    %4 = arith.muli %2, %m : index
    loop.for %j = %0 to %m {
      %5 = arith.addi %4, %j : index
      %6 = loop.load %C_vals[%5] : i32
      %7 = arith.sitofp %6 : i32 to f64
      %8 = arith.mulf %3, %7 fastmath<contract> : f64
      %9 = loop.load %y[%j] : f64
      %10 = arith.addf %9, %8 fastmath<reassoc,contract> : f64
      loop.store %10, %y[%j] : f64
    }
  }
  func.return
}

// Rows of an operand that is read once, one after the other: strips go through eight of them at a time.
// CHECK-LABEL: func.func @columns
// CHECK: loop.if %{{.*}} {
// CHECK: [[LONG:%[0-9]+]] = arith.cmpi sgt
// CHECK: [[ROWS:%[0-9]+]] = arith.constant 8 : index
// CHECK: [[BLOCK:%[0-9]+]] = arith.select [[LONG]], [[ROWS]]
// CHECK: loop.for [[NUMBER:%[0-9]+]] =
// CHECK: [[OFFSET:%[0-9]+]] = arith.muli [[NUMBER]], [[BLOCK]]
// CHECK-NEXT: arith.addi [[OFFSET]], [[BLOCK]]
// CHECK-NEXT: [[END:%[0-9]+]] = arith.minsi {{.*}}, %m
// CHECK: loop.for %i = [[OFFSET]] to [[END]]
// CHECK: } else {
// CHECK: loop.for {{%[a-z0-9_]+}} = %0 to %m
func.func @columns(%x: !loop.buffer<f64>, %W: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %i = %0 to %m {
    %xi = loop.load %x[%i] : f64
    %row = arith.muli %i, %n : index
    loop.for %j = %0 to %n {
      %place = arith.addi %row, %j : index
      %w = loop.load %W[%place] : f64
      %product = arith.mulf %xi, %w : f64
      %old = loop.load %y[%j] : f64
      %new = arith.addf %old, %product : f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}

// Each row of products reads all rows of B again, strip by strip.
// CHECK-LABEL: func.func @product
// CHECK: loop.for %i =
// CHECK-NOT: arith.cmpi sgt
// CHECK: loop.for %k = %0 to %m
func.func @product(%A: !loop.buffer<f64>, %B: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %i = %0 to %m {
    %result = arith.muli %i, %n : index
    %left = arith.muli %i, %m : index
    loop.for %k = %0 to %m {
      %at = arith.addi %left, %k : index
      %a = loop.load %A[%at] : f64
      %row = arith.muli %k, %n : index
      loop.for %j = %0 to %n {
        %place = arith.addi %row, %j : index
        %b = loop.load %B[%place] : f64
        %product = arith.mulf %a, %b : f64
        %target = arith.addi %result, %j : index
        %old = loop.load %y[%target] : f64
        %new = arith.addf %old, %product : f64
        loop.store %new, %y[%target] : f64
      }
    }
  }
  func.return
}

// A row that is found by what is in memory as well may be read again.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: arith.cmpi sgt
// CHECK: loop.for %i = %0 to %m
func.func @shifted(%x: !loop.buffer<f64>, %shifts: !loop.buffer<index>, %W: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %i = %0 to %m {
    %xi = loop.load %x[%i] : f64
    %shift = loop.load %shifts[%i] : index
    %shifted = arith.addi %i, %shift : index
    %row = arith.muli %shifted, %n : index
    loop.for %j = %0 to %n {
      %place = arith.addi %row, %j : index
      %w = loop.load %W[%place] : f64
      %product = arith.mulf %xi, %w : f64
      %old = loop.load %y[%j] : f64
      %new = arith.addf %old, %product : f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}
