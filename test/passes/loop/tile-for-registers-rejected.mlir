// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p tile-for-registers | filecheck %s

// Every row reads rows of its own: nothing is loaded twice.
// CHECK-LABEL: func.func @of_each_row
// CHECK-NOT: vector
func.func @of_each_row(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    %row = arith.muli %i, %m : index
    loop.for %k = %zero to %l {
      %x = loop.load %a[%k] : f64
      %start = arith.addi %row, %k : index
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

// -----

// How long the reduction is depends on the row, as where a sparse matrix has its entries.
// CHECK-LABEL: func.func @of_some_length
// CHECK-NOT: vector
func.func @of_some_length(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    %row = arith.muli %i, %m : index
    loop.for %k = %zero to %row {
      %x = loop.load %a[%k] : f64
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

// -----

// All iterations update the same row.
// CHECK-LABEL: func.func @same_row
// CHECK-NOT: vector
func.func @same_row(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    %row = arith.muli %zero, %m : index
    loop.for %k = %zero to %l {
      %x = loop.load %a[%k] : f64
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

// -----

// Few rows read a copy, and it takes as long as they do.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: vector
func.func @few_rows(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %few = arith.minsi %eight, %n : index
  loop.for %i = %zero to %few {
    %row = arith.muli %i, %m : index
    loop.for %k = %zero to %l {
      %x = loop.load %a[%k] : f64
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

// -----

// The reduction reads what iterations before have written.
// CHECK-LABEL: func.func @reads_results
// CHECK-NOT: vector
func.func @reads_results(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    %row = arith.muli %i, %m : index
    loop.for %k = %zero to %l {
      %x = loop.load %c[%k] : f64
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

// -----

// What follows the reduction reads the row of another iteration.
// CHECK-LABEL: func.func @looks_ahead
// CHECK-NOT: vector
func.func @looks_ahead(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    %row = arith.muli %i, %m : index
    loop.for %k = %zero to %l {
      %x = loop.load %a[%k] : f64
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
    loop.for %j = %zero to %m {
      %other = loop.load %c[%j] : f64
      %to = arith.addi %row, %j : index
      loop.store %other, %c[%to] : f64
    }
  }
  func.return
}

// -----

// What is before the reduction counts iterations in a cell, which what follows it reads.
// CHECK-LABEL: func.func @counts
// CHECK-NOT: vector
func.func @counts(%a: !loop.buffer<f64>, %b: !loop.buffer<f64>, %c: !loop.buffer<f64>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.cell %zero : index
  loop.for %i = %zero to %n {
    %number = loop.get %count : index
    %more = arith.addi %number, %one : index
    loop.set %more, %count : index
    %row = arith.muli %i, %m : index
    loop.for %k = %zero to %l {
      %x = loop.load %a[%k] : f64
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
    %now = loop.get %count : index
    loop.for %j = %zero to %m {
      %to = arith.addi %row, %j : index
      %old = loop.load %c[%to] : f64
      %unchanged = arith.cmpi eq, %now, %n : index
      %new = arith.select %unchanged, %old, %old : f64
      loop.store %new, %c[%to] : f64
    }
  }
  func.return
}
