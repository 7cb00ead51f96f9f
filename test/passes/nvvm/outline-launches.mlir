// RUN: irtensor-opt %s --split-input-file -p outline-launches | filecheck %s

// A parallel loop is a kernel: a function of a module beside the host's, of what the loop uses. Constants are made there again.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: [[N:%[a-z]*]]: index, [[X:%[a-z]*]]: !loop.buffer<f64>)
// CHECK: loop.launch [[N]] of @scale_kernels::@scale_0([[N]], [[X]]) : (index, !loop.buffer<f64>)
// CHECK-NEXT: func.return
// CHECK: builtin.module @scale_kernels {
// CHECK-NEXT: func.func @scale_0(%n: index, %x: !loop.buffer<f64> {llvm.noalias}) attributes {nvvm.kernel} {
// CHECK: [[TWO:%.*]] = arith.constant 2.000000e+00 : f64
// CHECK: loop.parallel %i = %{{.*}} to %n {
// CHECK: arith.mulf %{{.*}}, [[TWO]] : f64
// CHECK: loop.store
func.func @scale(%n: index, %x: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2.0 : f64
  loop.parallel %i = %zero to %n {
    %v = loop.load %x[%i] : f64
    %w = arith.mulf %v, %two : f64
    loop.store %w, %x[%i] : f64
  }
  func.return
}

// -----

// The host reads what it needs of the device's memory. What follows each other without a parallel loop is one kernel, of
// one iteration, and starts before what has to see its effect.
// CHECK-LABEL: func.func @between(
// CHECK: %length = loop.read %pos[%n] : index
// CHECK: [[ONE:%.*]] = arith.constant 1 : index
// CHECK: loop.launch [[ONE]] of @between_kernels::@between_0(%length, %pos, %y) : (index, !loop.buffer<index>, !loop.buffer<f64>)
// CHECK: %after = loop.read %pos[%n] : index
// CHECK: loop.reserve %g, %after : f64
// CHECK: func.func @between_0(
// CHECK: loop.parallel
// CHECK-NEXT: loop.store %length, %pos[%{{.*}}] : index
// CHECK-NEXT: loop.fill
func.func @between(%n: index, %pos: !loop.buffer<index>, %y: !loop.buffer<f64>, %g: !loop.growable<f64>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  %length = loop.load %pos[%n] : index
  loop.store %length, %pos[%zero] : index
  loop.fill %none, %y[%zero to %length] : f64
  %after = loop.load %pos[%n] : index
  loop.reserve %g, %after : f64
  func.return
}

// -----

// A cell that kernels change is an element of the device's memory; one that they only read is passed by what it holds.
// The storage of a growable is found by the host.
// CHECK-LABEL: func.func @cells(
// CHECK: [[SCRATCH:%.*]] = loop.scratch : index
// CHECK: loop.reserve [[SCRATCH]]
// CHECK: %count = loop.data [[SCRATCH]] : index
// CHECK: %read = loop.cell %n : index
// CHECK: loop.launch %{{.*}} of @cells_kernels::@cells_0(%count)
// CHECK: [[STORAGE:%.*]] = loop.data %g : index
// CHECK: [[HELD:%.*]] = loop.get %read : index
// CHECK: loop.launch %n of @cells_kernels::@cells_1(%n, [[HELD]], [[STORAGE]]) : (index, index, !loop.buffer<index>)
// CHECK: loop.launch %{{.*}} of @cells_kernels::@cells_2(%n, %count)
// CHECK: [[TOTAL:%.*]] = loop.read %count[%{{.*}}] : index
// CHECK: loop.set_size %g, [[TOTAL]] : index
// CHECK: func.func @cells_1(%n: index, %read: index, %{{.*}}: !loop.buffer<index> {llvm.noalias})
// CHECK: loop.cell %read : index
func.func @cells(%n: index, %g: !loop.growable<index>) {
  %zero = arith.constant 0 : index
  %count = loop.cell %zero : index
  %read = loop.cell %n : index
  loop.parallel %i = %zero to %n {
    %data = loop.data %g : index
    %v = loop.get %read : index
    loop.store %v, %data[%i] : index
  }
  loop.for %i = %zero to %n {
    loop.set %i, %count : index
  }
  %total = loop.get %count : index
  loop.set_size %g, %total : index
  func.return
}

// -----

// What the host decides stays with it: a branch in which room is made. A set that lies in memory is the kernel's own.
// CHECK-LABEL: func.func @branch(
// CHECK: loop.if %b {
// CHECK: loop.launch %{{.*}} of @branch_kernels::@branch_0(
// CHECK: loop.reserve %g
// CHECK: }
// CHECK: loop.launch %{{.*}} of @branch_kernels::@branch_1(%n, %m)
// CHECK: func.func @branch_1(
// CHECK: loop.parallel
// CHECK-NEXT: %set = loop.index_set %n in %m : !loop.buffer<i64>
// CHECK: loop.insert %i into %set
func.func @branch(%n: index, %b: i1, %m: !loop.buffer<i64>, %g: !loop.growable<f64>) {
  %zero = arith.constant 0 : index
  %nothing = arith.constant 0 : i64
  %set = loop.index_set %n in %m : !loop.buffer<i64>
  loop.if %b {
    loop.store %nothing, %m[%zero] : i64
    loop.reserve %g, %n : f64
  }
  loop.for %i = %zero to %n {
    %there = loop.insert %i into %set
  }
  func.return
}

// -----

// Loops that do the same with what they use are one kernel. Memory that is only read is known to be.
// CHECK-LABEL: func.func @twice(
// CHECK: loop.launch %n of @twice_kernels::@twice_0(%n, %x, %y)
// CHECK: loop.launch %m of @twice_kernels::@twice_0(%m, %y, %x)
// CHECK: loop.launch %n of @twice_kernels::@twice_1(%n, %x, %y)
// CHECK: func.func @twice_0(%n: index, %x: !loop.buffer<f64> {llvm.noalias, llvm.readonly}, %y: !loop.buffer<f64> {llvm.noalias})
// CHECK: func.func @twice_1(%n: index, %x: !loop.buffer<f64> {llvm.noalias}, %y: !loop.buffer<f64> {llvm.noalias})
// CHECK-NOT: func.func
func.func @twice(%n: index, %m: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %v = loop.load %x[%i] : f64
    loop.store %v, %y[%i] : f64
  }
  loop.parallel %i = %zero to %m {
    %v = loop.load %y[%i] : f64
    loop.store %v, %x[%i] : f64
  }
  loop.parallel %i = %zero to %n {
    %own = loop.view %x[%i] : f64
    %v = loop.load %own[%zero] : f64
    loop.store %v, %y[%i] : f64
    loop.store %v, %own[%zero] : f64
  }
  func.return
}

// -----

// Kernels have names that PTX has, whatever their function is called.
// CHECK-LABEL: func.func @"1 a.b"(
// CHECK:       loop.launch %n of @"1 a.b_kernels"::@_1_a_b_0(
// CHECK:       func.func @_1_a_b_0(
func.func @"1 a.b"(%n: index, %x: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    loop.store %i, %x[%i] : index
  }
  func.return
}

// -----

// A view of an array is made in the kernel, which is given the array once: threads wait between both uses of it.
// CHECK-LABEL: func.func @viewed(
// CHECK:       loop.launch %n of @viewed_kernels::@viewed_0(%n, %x, %first)
// CHECK:       func.func @viewed_0(%n: index, %x: !loop.buffer<index> {llvm.noalias}, %first: index)
// CHECK:       [[VIEW:%[a-z0-9_]+]] = loop.view %x[%first] : index
// CHECK:       loop.store %i, %x[%i] : index
// CHECK:       loop.store %i, [[VIEW]][%i] : index
func.func @viewed(%n: index, %first: index, %x: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %view = loop.view %x[%first] : index
  loop.parallel %i = %zero to %n {
    loop.store %i, %x[%i] : index
    loop.store %i, %view[%i] : index
  }
  func.return
}
