// RUN: irtensor-opt %s --split-input-file -p batch-functions{size=64} | filecheck %s

// A sum, its exponential, and a row that it is multiplied by: three loops for 64 iterations at a time. The loads that
// the last loop needs as well are repeated, the sum is not.
// CHECK-LABEL: func.func @attention
// CHECK: [[ROOM:%[a-z0-9_]+]] = loop.scratch : f64
// CHECK: loop.reserve [[ROOM]], {{%[a-z0-9_]+}} : f64
// CHECK: %batch = loop.data [[ROOM]] : f64
// CHECK: loop.for [[B:%[a-z0-9_]+]] =
// CHECK: [[START:%[a-z0-9_]+]] = arith.muli [[B]]
// CHECK: [[END:%[a-z0-9_]+]] = arith.minsi {{%[a-z0-9_]+}}, %m
// CHECK: loop.for [[P:%[a-z0-9_]+]] = [[START]] to [[END]]
// CHECK: loop.for %k
// CHECK: loop.set
// CHECK: [[SUM:%[a-z0-9_]+]] = loop.get
// CHECK-NEXT: [[PLACE:%[a-z0-9_]+]] = arith.subi [[P]], [[START]]
// CHECK-NEXT: loop.store [[SUM]], %batch[[[PLACE]]]
// CHECK: loop.for [[K:%[a-z0-9_]+]] = {{%[a-z0-9_]+}} to
// CHECK-NEXT: [[KEPT:%[a-z0-9_]+]] = loop.load %batch[[[K]]]
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = math.exp [[KEPT]]
// CHECK-NEXT: loop.store [[E]], %batch[[[K]]]
// CHECK: loop.for [[P]]_{{[0-9]+}} = [[START]] to [[END]]
// CHECK-NOT: loop.cell
// CHECK: loop.load %batch
// CHECK: loop.load %crd
// CHECK: loop.for %d
// CHECK-NOT: math.exp
// CHECK: func.return
func.func @attention(%x: !loop.buffer<f64>, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  loop.for %p = %0 to %m {
    %c = loop.load %crd[%p] : i64
    %j = arith.index_cast %c : i64 to index
    %t = loop.cell %zero : f64
    loop.for %k = %0 to %n {
      %at = arith.addi %j, %k : index
      %v = loop.load %x[%at] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    %e = math.exp %sum : f64
    loop.for %d = %0 to %n {
      %at = arith.addi %j, %d : index
      %v = loop.load %x[%at] : f64
      %old = loop.load %y[%d] : f64
      %w = arith.mulf %e, %v : f64
      %new = arith.addf %old, %w : f64
      loop.store %new, %y[%d] : f64
    }
  }
  func.return
}

// -----

// Two functions of the same sum are one. What adds to a row and what adds to a number are loops of their own.
// CHECK-LABEL: func.func @of_two_results
// CHECK: loop.for {{.*}} to
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: loop.for %p_{{[0-9]+}}
// CHECK: loop.for %d
// CHECK-NOT: loop.set
// CHECK: loop.for %p_{{[0-9]+}}
// CHECK-NOT: loop.store
// CHECK: loop.set {{%[a-z0-9_]+}}, %s
func.func @of_two_results(%x: !loop.buffer<f32>, %y: !loop.buffer<f32>, %z: !loop.buffer<f32>, %n: index, %m: index) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = loop.cell %zero : f32
  loop.for %p = %0 to %m {
    %t = loop.cell %zero : f32
    loop.for %k = %0 to %n {
      %v = loop.load %x[%k] : f32
      loop.set %v, %t : f32
    }
    %sum = loop.get %t : f32
    %e = math.exp %sum : f32
    loop.for %d = %0 to %n {
      loop.store %e, %y[%d] : f32
    }
    %again = loop.get %t : f32
    %f = math.exp %again : f32
    %old = loop.get %s : f32
    %new = arith.addf %old, %f : f32
    loop.set %new, %s : f32
  }
  %all = loop.get %s : f32
  loop.store %all, %z[%0] : f32
  func.return
}

// -----

// A function inside of a loop over a segment, which it does not depend on. A load is before it, no loop: it is computed
// for a batch if there are more entries than segments.
// CHECK-LABEL: func.func @of_a_row
// CHECK: loop.load %pos[{{%[a-z0-9_]+}}]
// CHECK: loop.load %pos[%m]
// CHECK: [[ENTRIES:%[a-z0-9_]+]] = arith.subi
// CHECK-NEXT: [[IF:%[a-z0-9_]+]] = arith.cmpi sgt, [[ENTRIES]], %m
// CHECK: loop.if [[IF]] {
// CHECK: loop.load %x
// CHECK: loop.store {{.*}}, %batch
// CHECK: math.exp
// CHECK: loop.for %p
// CHECK-NOT: math.exp
// CHECK: } else {
// CHECK: loop.for %p
// CHECK-NEXT: math.exp
// CHECK: func.return
func.func @of_a_row(%pos: !loop.buffer<i32>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  loop.for %i = %0 to %m {
    %next = arith.addi %i, %1 : index
    %a = loop.load %pos[%i] {speculatable} : i32
    %from = arith.index_cast %a : i32 to index
    %b = loop.load %pos[%next] {speculatable} : i32
    %to = arith.index_cast %b : i32 to index
    %v = loop.load %x[%i] : f64
    loop.for %p = %from to %to {
      %e = math.exp %v : f64
      loop.store %e, %y[%p] : f64
    }
  }
  func.return
}

// -----

// A loop computes what the function is of: 24 entries of a segment make up for a second walk along all segments.
// CHECK-LABEL: func.func @of_a_sum
// CHECK: [[LEAST:%[a-z0-9_]+]] = arith.constant 24 : index
// CHECK-NEXT: arith.muli %m, [[LEAST]]
// CHECK: loop.if
// CHECK: loop.for %q
// CHECK: math.exp
// CHECK: loop.for %p
// CHECK-NOT: math.exp
// CHECK: } else {
// CHECK: func.return
func.func @of_a_sum(%pos: !loop.buffer<i32>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.for %i = %0 to %m {
    %next = arith.addi %i, %1 : index
    %a = loop.load %pos[%i] {speculatable} : i32
    %from = arith.index_cast %a : i32 to index
    %b = loop.load %pos[%next] {speculatable} : i32
    %to = arith.index_cast %b : i32 to index
    %t = loop.cell %zero : f64
    loop.for %q = %from to %to {
      %v = loop.load %x[%q] : f64
      %old = loop.get %t : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %t : f64
    }
    %sum = loop.get %t : f64
    loop.for %p = %from to %to {
      %e = math.exp %sum : f64
      loop.store %e, %y[%p] : f64
    }
  }
  func.return
}

// -----

// The sum that a function is of is used beside it, and kept in a batch of its own.
// CHECK-LABEL: func.func @sum_is_needed_again
// CHECK: %batch = loop.data
// CHECK: %batch_1 = loop.data
// CHECK: loop.for %j
// CHECK: loop.for %k
// CHECK: loop.store [[SUM:%[a-z0-9_]+]], %batch{{(_1)?}}[
// CHECK: loop.store [[SUM]], %batch{{(_1)?}}[
// CHECK: math.exp
// CHECK: loop.for %j_{{[0-9]}}
// CHECK-NOT: loop.for
// CHECK: loop.load %batch
// CHECK: loop.load %batch
// CHECK-NOT: loop.for
// CHECK: arith.mulf
// CHECK: func.return
func.func @sum_is_needed_again(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
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
    %both = arith.mulf %e, %sum : f64
    loop.store %both, %y[%j] : f64
  }
  func.return
}

// -----

// A function of another sum is computed for a batch in what is behind the first one.
// CHECK-LABEL: func.func @two_functions
// CHECK: loop.for %k
// CHECK: loop.store {{.*}}, %batch
// CHECK: math.exp
// CHECK: loop.for %l
// CHECK: loop.store {{.*}}, %batch
// CHECK: math.tanh
// CHECK: loop.for %j
// CHECK: arith.mulf
// CHECK: func.return
func.func @two_functions(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index) {
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
    %u = loop.cell %zero : f64
    loop.for %l = %0 to %j {
      %v = loop.load %x[%l] : f64
      loop.set %v, %u : f64
    }
    %other = loop.get %u : f64
    %h = math.tanh %other : f64
    %both = arith.mulf %e, %h : f64
    loop.store %both, %y[%j] : f64
  }
  func.return
}
