// RUN: irtensor-opt %s -p remove-overwritten-fills | filecheck %s

// CHECK-NOT: loop.fill

// Each row has a sum, which is stored once.
func.func @spmv(%n: index, %pos: !loop.buffer<index>, %v: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.fill %zero, %y[%c0 to %n] : f64
  loop.for %i = %c0 to %n attributes {parallel = "automatic"} {
    %next = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : index
    %p1 = loop.load %pos[%next] : index
    %t = loop.cell %zero : f64
    loop.for %p = %p0 to %p1 {
      %x = loop.load %v[%p] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %x : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.store %sum, %y[%i] : f64
  }
  func.return
}

// Rows of a matrix, in one order and the other, and an element that is updated after it was stored.
func.func @matrix(%n: index, %m: index, %v: f64, %c: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %all = arith.muli %m, %n : index
  loop.fill %zero, %c[%c0 to %all] : f64
  loop.for %i = %c0 to %n {
    %row = arith.muli %i, %m : index
    loop.for %k = %c0 to %m {
      %place = arith.addi %row, %k : index
      loop.store %v, %c[%place] : f64
      %old = loop.load %c[%place] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %c[%place] : f64
    }
  }
  func.return
}

// A row that is filled, and then updated.
func.func @filled_rows(%n: index, %m: index, %v: f64, %c: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %all = arith.muli %m, %n : index
  loop.fill %zero, %c[%c0 to %all] : f64
  loop.for %i = %c0 to %n {
    %row = arith.muli %i, %m : index
    loop.for %k = %c0 to %m {
      %place = arith.addi %row, %k : index
      loop.store %zero, %c[%place] : f64
    }
    loop.for %j = %c0 to %n {
      loop.for %k = %c0 to %m {
        %place = arith.addi %k, %row : index
        %old = loop.load %c[%place] : f64
        %new = arith.addf %old, %v : f64
        loop.store %new, %c[%place] : f64
      }
    }
  }
  func.return
}

// A part of the range from a position on, in an iteration, on units of a GPU, of memory of the function.
func.func @parts(%lo: index, %hi: index, %v: f64) {
  %zero = arith.constant 0.0 : f64
  %s = loop.scratch : f64
  loop.reserve %s, %hi : f64
  %d = loop.data %s : f64
  loop.for %r = %lo to %hi {
    loop.fill %zero, %d[%lo to %hi] : f64
    loop.parallel %i = %lo to %hi {
      loop.store %v, %d[%i] : f64
    }
  }
  func.return
}
