// RUN: irtensor-opt %s --split-input-file -p batch-functions | filecheck %s

// Without a loop inside, the loop becomes vectors as it is.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @plain(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = math.exp %v : f64
    loop.store %e, %y[%j] : f64
  }
  func.return
}

// -----

// What the function is of is changed by the iteration before.
// CHECK-LABEL: func.func @of_what_is_written
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @of_what_is_written(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  loop.for %j = %0 to %n {
    %v = loop.load %y[%j] : f64
    %e = math.exp %v : f64
    loop.for %k = %0 to %n {
      loop.store %e, %y[%k] : f64
    }
  }
  func.return
}

// -----

// So is the cell around the loop.
// CHECK-LABEL: func.func @of_a_running_sum
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @of_a_running_sum(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %j = %0 to %n {
    %v = loop.get %t : f64
    %e = math.exp %v : f64
    loop.set %e, %t : f64
    loop.for %k = %0 to %n {
      loop.store %e, %y[%k] : f64
    }
  }
  func.return
}

// -----

// A loop behind the function reads the sum that it is of, which would be computed twice.
// CHECK-LABEL: func.func @sum_is_read_in_a_loop
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @sum_is_read_in_a_loop(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  loop.for %j = %0 to %n {
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f64
      loop.set %v, %t : f64
    }
    %sum = loop.get %t : f64
    %e = math.exp %sum : f64
    loop.for %k = %0 to %n {
      %again = loop.get %t : f64
      %both = arith.mulf %e, %again : f64
      loop.store %both, %y[%k] : f64
    }
  }
  func.return
}

// -----

// Three iterations are no vector.
// CHECK-LABEL: func.func @short
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @short(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %3 = arith.constant 3 : index
  loop.for %j = %0 to %3 {
    %v = loop.load %x[%j] : f64
    %e = math.exp %v : f64
    loop.for %k = %0 to %n {
      loop.store %e, %y[%k] : f64
    }
  }
  func.return
}

// -----

// The order of sums is kept, and functions are those of the C library.
// CHECK-LABEL: func.func @in_order
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @in_order(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) attributes {algebra.keeps_order} {
  %0 = arith.constant 0 : index
  loop.for %j = %0 to %n {
    %v = loop.load %x[%j] : f64
    %e = math.exp %v : f64
    loop.for %k = %0 to %n {
      loop.store %e, %y[%k] : f64
    }
  }
  func.return
}

// -----

// A function of what its own loop reads stays there.
// CHECK-LABEL: func.func @of_an_entry
// CHECK-NOT: loop.if
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @of_an_entry(%pos: !loop.buffer<i32>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  loop.for %i = %0 to %m {
    %next = arith.addi %i, %1 : index
    %a = loop.load %pos[%i] {speculatable} : i32
    %from = arith.index_cast %a : i32 to index
    %b = loop.load %pos[%next] {speculatable} : i32
    %to = arith.index_cast %b : i32 to index
    loop.for %p = %from to %to {
      %v = loop.load %x[%p] : f64
      %e = math.exp %v : f64
      loop.store %e, %y[%p] : f64
    }
  }
  func.return
}

// -----

// How many entries there are is not known before this loop: its bounds are those of no segments.
// CHECK-LABEL: func.func @of_any_bounds
// CHECK-NOT: loop.if
// CHECK-NOT: loop.scratch
// CHECK: func.return
func.func @of_any_bounds(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index) {
  %0 = arith.constant 0 : index
  loop.for %i = %0 to %m {
    %v = loop.load %x[%i] : f64
    loop.for %p = %0 to %i {
      %e = math.exp %v : f64
      loop.store %e, %y[%p] : f64
    }
  }
  func.return
}
