// RUN: irtensor-opt %s -p prefetch-gathers | filecheck %s
// RUN: irtensor-opt %s -p 'prefetch-gathers{distance=8 lines=2}' | filecheck %s --check-prefix=NEAR

// The row of C that an entry 32 positions ahead will need is asked for, never beyond the last of all entries.
// CHECK-LABEL: func.func @spmm
// CHECK: loop.for %i =
// CHECK: [[ALL:%[a-z0-9_]+]] = loop.load %B_pos1[%B_n0] : i64
// CHECK: arith.subi
// CHECK: loop.for %p =
// CHECK: arith.constant 32 : index
// CHECK-NEXT: arith.addi %p
// CHECK-NEXT: [[AHEAD:%[a-z0-9_]+]] = arith.minsi
// CHECK-NEXT: loop.load %B_crd1{{\[}}[[AHEAD]]{{\]}} : i64
// CHECK: arith.constant 16 : index
// CHECK: loop.for
// CHECK: loop.prefetch %C_vals
// CHECK: loop.load %B_crd1[%p] : i64
// NEAR-LABEL: func.func @spmm
// NEAR: arith.constant 8 : index
// NEAR: arith.constant 2 : index
// NEAR: loop.prefetch %C_vals
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

// What a column adds to is asked for only if a cache does not hold the vector. It is known how large that is.
// CHECK-LABEL: func.func @spmv_by_columns
// CHECK: [[BYTES:%[a-z0-9_]+]] = arith.muli %y_n0
// CHECK: [[MOST:%[a-z0-9_]+]] = arith.constant 16777216 : index
// CHECK-NEXT: [[FAR:%[a-z0-9_]+]] = arith.cmpi sgt, [[BYTES]], [[MOST]] : index
// CHECK: loop.if [[FAR]] {
// CHECK: loop.for %p =
// CHECK: loop.prefetch %y_vals
// CHECK-NEXT: loop.load %A_crd1[%p] : i64
// CHECK: } else {
// CHECK: loop.for %p
// CHECK-NOT: loop.prefetch
// CHECK: func.return
func.func @spmv_by_columns(%A_n0: index, %A_n1: index, %A_pos1: !loop.buffer<i64>, %A_crd1: !loop.buffer<i64>, %A_vals: !loop.buffer<f64>, %x_n0: index, %x_vals: !loop.buffer<f64>, %y_n0: index, %y_vals: !loop.buffer<f64> {loop.extents = array<i64: 7>}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  loop.for %j = %0 to %A_n1 {
    %4 = arith.addi %j, %1 : index
    %5 = loop.load %A_pos1[%j] : i64
    %6 = arith.index_cast %5 : i64 to index
    %7 = loop.load %A_pos1[%4] : i64
    %8 = arith.index_cast %7 : i64 to index
    %9 = loop.load %x_vals[%j] : f64
    loop.for %p = %6 to %8 {
      %10 = loop.load %A_crd1[%p] : i64
      %11 = arith.index_cast %10 : i64 to index
      %12 = loop.load %A_vals[%p] : f64
      %13 = arith.mulf %12, %9 : f64
      %14 = loop.load %y_vals[%11] : f64
      %15 = arith.addf %14, %13 : f64
      loop.store %15, %y_vals[%11] : f64
    }
  }
  func.return
}

// So it is of a workspace: there is as much room as was asked for before the loops.
// CHECK-LABEL: func.func @sums_in_a_workspace
// CHECK: loop.reserve %w, %A_n0
// CHECK: [[BYTES:%[a-z0-9_]+]] = arith.muli %A_n0
// CHECK: [[FAR:%[a-z0-9_]+]] = arith.cmpi sgt, [[BYTES]]
// CHECK: loop.if [[FAR]] {
// CHECK: loop.prefetch %room
// CHECK: } else {
// CHECK-NOT: loop.prefetch
// CHECK: func.return
func.func @sums_in_a_workspace(%A_n0: index, %A_n1: index, %A_pos1: !loop.buffer<i64>, %A_crd1: !loop.buffer<i64>, %A_vals: !loop.buffer<f64>, %x_n0: index, %x_vals: !loop.buffer<f64>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %w = loop.scratch : f64
  loop.reserve %w, %A_n0 : f64
  %room = loop.data %w : f64
  loop.for %j = %0 to %A_n1 {
    %4 = arith.addi %j, %1 : index
    %5 = loop.load %A_pos1[%j] : i64
    %6 = arith.index_cast %5 : i64 to index
    %7 = loop.load %A_pos1[%4] : i64
    %8 = arith.index_cast %7 : i64 to index
    %9 = loop.load %x_vals[%j] : f64
    loop.for %p = %6 to %8 {
      %10 = loop.load %A_crd1[%p] : i64
      %11 = arith.index_cast %10 : i64 to index
      %12 = loop.load %A_vals[%p] : f64
      %13 = arith.mulf %12, %9 : f64
      %14 = loop.load %room[%11] : f64
      %15 = arith.addf %14, %13 : f64
      loop.store %15, %room[%11] : f64
    }
  }
  func.return
}

// A workspace that grows has another size in each iteration.
// CHECK-LABEL: func.func @sums_in_a_growing_workspace
// CHECK-NOT: loop.if
// CHECK: loop.prefetch %room
// CHECK: func.return
func.func @sums_in_a_growing_workspace(%A_n0: index, %A_n1: index, %A_pos1: !loop.buffer<i64>, %A_crd1: !loop.buffer<i64>, %A_vals: !loop.buffer<f64>, %x_n0: index, %x_vals: !loop.buffer<f64>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %w = loop.scratch : f64
  loop.for %j = %0 to %A_n1 {
    loop.reserve %w, %A_n0 : f64
    %room = loop.data %w : f64
    %4 = arith.addi %j, %1 : index
    %5 = loop.load %A_pos1[%j] : i64
    %6 = arith.index_cast %5 : i64 to index
    %7 = loop.load %A_pos1[%4] : i64
    %8 = arith.index_cast %7 : i64 to index
    %9 = loop.load %x_vals[%j] : f64
    loop.for %p = %6 to %8 {
      %10 = loop.load %A_crd1[%p] : i64
      %11 = arith.index_cast %10 : i64 to index
      %12 = loop.load %A_vals[%p] : f64
      %13 = arith.mulf %12, %9 : f64
      %14 = loop.load %room[%11] : f64
      %15 = arith.addf %14, %13 : f64
      loop.store %15, %room[%11] : f64
    }
  }
  func.return
}

// Rows of an array that a nearer cache holds are read at once. A row takes so much longer than a branch that there is one
// loop for both.
// CHECK-LABEL: func.func @dot_products
// CHECK: [[COUNT:%[a-z0-9_]+]] = arith.muli %D_n0, %D_n1 : index
// CHECK: [[BYTES:%[a-z0-9_]+]] = arith.muli [[COUNT]]
// CHECK: [[MOST:%[a-z0-9_]+]] = arith.constant 786432 : index
// CHECK-NEXT: [[FAR:%[a-z0-9_]+]] = arith.cmpi sgt, [[BYTES]], [[MOST]] : index
// CHECK: loop.for %p = {{.*}} attributes {unroll = 1 : i64, vectorize = 1 : i64} {
// CHECK: loop.if [[FAR]] {
// CHECK: loop.load %B_crd1
// CHECK: loop.prefetch %D_vals
// CHECK: }
// CHECK-NEXT: }
// CHECK-NEXT: loop.load %B_crd1[%p]
// CHECK: loop.for %k{{[^a]*}} {
// CHECK-NOT: loop.for %p
// CHECK-NOT: loop.prefetch
// CHECK: func.return
func.func @dot_products(%B_pos1: !loop.buffer<i64>, %B_crd1: !loop.buffer<i64>, %C_vals: !loop.buffer<f64>, %D_n0: index, %D_n1: index, %D_vals: !loop.buffer<f64> {loop.extents = array<i64: 3, 4>}, %y_vals: !loop.buffer<f64>, %zero: f64, %i: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.addi %i, %1 : index
  %3 = loop.load %B_pos1[%i] : i64
  %4 = arith.index_cast %3 : i64 to index
  %5 = loop.load %B_pos1[%2] : i64
  %6 = arith.index_cast %5 : i64 to index
  loop.for %p = %4 to %6 {
    %7 = loop.load %B_crd1[%p] : i64
    %8 = arith.index_cast %7 : i64 to index
    %9 = arith.muli %8, %D_n1 : index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %D_n1 {
      %10 = arith.addi %9, %k : index
      %11 = loop.load %C_vals[%k] : f64
      %12 = loop.load %D_vals[%10] : f64
      %13 = arith.mulf %11, %12 fastmath<contract> : f64
      %14 = loop.get %t : f64
      %15 = arith.addf %14, %13 fastmath<reassoc,contract> : f64
      loop.set %15, %t : f64
    }
    %16 = loop.get %t : f64
    loop.store %16, %y_vals[%p] : f64
  }
  func.return
}

// A row that is shorter than a vector is in one line: no loop asks for others.
// CHECK-LABEL: func.func @short_rows
// CHECK: arith.minsi
// CHECK-NOT: loop.for
// CHECK: loop.prefetch %C_vals
// CHECK-NEXT: loop.load %B_crd1[%p]
func.func @short_rows(%B_n0: index, %B_pos1: !loop.buffer<i64>, %B_crd1: !loop.buffer<i64>, %C_n1: index, %C_vals: !loop.buffer<f64>, %y_vals: !loop.buffer<f64>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  loop.for %i = %0 to %B_n0 {
    %4 = arith.addi %i, %1 : index
    %5 = loop.load %B_pos1[%i] : i64
    %6 = arith.index_cast %5 : i64 to index
    %7 = loop.load %B_pos1[%4] : i64
    %8 = arith.index_cast %7 : i64 to index
    %9 = arith.muli %i, %C_n1 : index
    loop.for %p = %6 to %8 {
      %10 = loop.load %B_crd1[%p] : i64
      %11 = arith.index_cast %10 : i64 to index
      %13 = arith.muli %11, %C_n1 : index
      loop.for %j = %0 to %C_n1 attributes {unroll = 1 : i64, vectorize = 1 : i64, short} {
        %14 = arith.addi %13, %j : index
        %15 = loop.load %C_vals[%14] : f64
        %16 = arith.addi %9, %j : index
        %17 = loop.load %y_vals[%16] : f64
        %18 = arith.addf %17, %15 : f64
        loop.store %18, %y_vals[%16] : f64
      }
    }
  }
  func.return
}
