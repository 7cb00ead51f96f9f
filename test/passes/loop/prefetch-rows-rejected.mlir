// What needs no help, and what is not known early.
// RUN: irtensor-opt %s --split-input-file -p prefetch-rows | filecheck %s

// Nothing is waited for between the rows, so that hardware sees them coming.
// CHECK-LABEL: func.func @rows_alone
// CHECK-NOT: loop.prefetch
func.func @rows_alone(%C: !loop.buffer<f64>, %R: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %i = %0 to %m {
    %row = arith.muli %i, %n : index
    loop.for %f = %0 to %n {
      %place = arith.addi %row, %f : index
      %old = loop.load %C[%place] : f64
      loop.store %old, %R[%place] : f64
    }
  }
  func.return
}

// -----

// A row at a coordinate from memory, a row that is only read where a condition holds, one of memory that the iteration
// has made, one element, and elements that are not next to each other.
// CHECK-LABEL: func.func @other_reads
// CHECK: loop.prefetch %B[%j]
// CHECK-NOT: loop.prefetch
func.func @other_reads(%crd: !loop.buffer<index>, %B: !loop.buffer<f64>, %R: !loop.buffer<f64>, %c: i1, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  %made = loop.scratch : f64
  loop.for %i = %0 to %m {
    %j = loop.load %crd[%i] : index
    loop.prefetch %B[%j] : f64
    %row = arith.muli %i, %n : index
    %gathered = arith.muli %j, %n : index
    %one = loop.load %B[%row] : f64
    loop.store %one, %R[%row] : f64
    loop.reserve %made, %n : f64
    %w = loop.data %made : f64
    loop.for %f = %0 to %n {
      %place = arith.addi %gathered, %f : index
      %b = loop.load %B[%place] : f64
      loop.store %b, %R[%place] : f64
      %own = arith.addi %row, %f : index
      %v = loop.load %w[%own] : f64
      loop.store %v, %R[%own] : f64
      %apart = arith.muli %own, %n : index
      %a = loop.load %B[%apart] : f64
      loop.store %a, %R[%f] : f64
    }
    loop.if %c {
      loop.for %f = %0 to %n {
        %place = arith.addi %row, %f : index
        %b = loop.load %B[%place] : f64
        loop.store %b, %R[%place] : f64
      }
    }
  }
  func.return
}
