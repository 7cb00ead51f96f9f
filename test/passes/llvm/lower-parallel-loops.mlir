// RUN: irtensor-opt --lower-loop-to-llvm --split-input-file %s | filecheck %s

// The body of a parallel loop is a function, which the runtime calls for each iteration, on the pool's threads if there are
// several. What it uses is passed in memory, eight bytes each; constants are made again in it. The last argument says which threads there are.
// Functions without loops of their own are left as they are, so that LLVM spends no time on them.
// CHECK-LABEL: llvm.func @parallel(
// CHECK-SAME: %threads: !llvm.ptr
// CHECK-SAME: optimize_none
// CHECK-SAME: ["irtensor-threads", "last-argument"]
// CHECK: [[CAPTURED:%.*]] = llvm.alloca %{{.*}} x !llvm.array<3 x i64>
// CHECK: llvm.store %x, [[CAPTURED]]
// CHECK: [[SECOND:%.*]] = llvm.getelementptr inbounds [[CAPTURED]][%{{.*}}]
// CHECK: llvm.store %{{.*}}, [[SECOND]] {alignment = 8 : i64} : f64
// CHECK: [[BODY:%.*]] = llvm.mlir.addressof @irtensor.iteration.0.captured
// CHECK: [[STATUS:%.*]] = llvm.call @irtensor.run_iterations(%threads, [[BODY]], [[CAPTURED]], %{{.*}}, %{{.*}})
// CHECK: llvm.icmp "ne" [[STATUS]]
// CHECK: llvm.func internal @irtensor.iteration.0(
// CHECK-SAME: !llvm.ptr {llvm.noalias, llvm.nonnull, llvm.noundef}
// CHECK-SAME: attributes {no_unwind, no_inline}
// CHECK: llvm.mlir.constant(2.000000e+00 : f64)
// CHECK: llvm.func internal @irtensor.iteration.0.captured(
// CHECK-SAME: optimize_none
// CHECK: llvm.call @irtensor.iteration.0(
func.func @parallel(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2.0 : f64
  %cell = loop.cell %two : f64
  loop.parallel %i = %zero to %n {
    %v = loop.load %x[%i] : f64
    %s = loop.get %cell : f64
    %w = arith.mulf %v, %s : f64
    %u = arith.mulf %w, %two : f64
    loop.store %u, %y[%i] : f64
  }
  func.return
}

// -----

// What is done once before the main loop of an iteration, such as to search where a part begins, is done where the captured
// values are fetched, which LLVM leaves as it is. A cell that the main loop uses is made there, with the value it begins
// with.
// CHECK-LABEL: llvm.func @prepared(
// CHECK: llvm.func internal @irtensor.iteration.0(%{{.*}}: i64 {llvm.noundef}, %{{.*}}: !llvm.ptr {llvm.noalias, llvm.nonnull, llvm.noundef}, %{{.*}}: i64 {llvm.noundef})
// CHECK-NOT: llvm.func
// CHECK: llvm.alloca
// CHECK: llvm.fadd
// CHECK-NOT: llvm.sdiv
// CHECK: llvm.func internal @irtensor.iteration.0.captured(
// CHECK-SAME: optimize_none
// CHECK: llvm.sdiv
// CHECK: llvm.call @irtensor.iteration.0(
func.func @prepared(%n: index, %x: !loop.buffer<f64>, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %v = arith.constant 1.0 : f64
  loop.parallel %part = %zero to %n {
    %sum = loop.cell %v : f64
    %low = loop.cell %m : index
    loop.while attributes {search} {
      %l = loop.get %low : index
      %more = arith.cmpi slt, %part, %l : index
      loop.condition %more
    } do {
      %l = loop.get %low : index
      %half = arith.divsi %l, %two : index
      loop.set %half, %low : index
    }
    %end = loop.get %low : index
    loop.for %i = %zero to %end {
      %s = loop.get %sum : f64
      %t = arith.addf %s, %v : f64
      loop.set %t, %sum : f64
    }
    %s = loop.get %sum : f64
    loop.store %s, %x[%part] : f64
  }
  func.return
}

// -----

// A search that changes memory which the main loop uses stays with it.
// CHECK-LABEL: llvm.func @searches_with_the_loop(
// CHECK: llvm.func internal @irtensor.iteration.0(
// CHECK: llvm.sdiv
// CHECK: llvm.func internal @irtensor.iteration.0.captured(
// CHECK-NOT: llvm.sdiv
// CHECK: llvm.call @irtensor.iteration.0(
func.func @searches_with_the_loop(%n: index, %x: !loop.buffer<index>, %m: index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  loop.parallel %part = %zero to %n {
    %low = loop.cell %m : index
    loop.while attributes {search} {
      %l = loop.get %low : index
      %more = arith.cmpi slt, %part, %l : index
      loop.condition %more
    } do {
      %l = loop.get %low : index
      %half = arith.divsi %l, %two : index
      loop.set %half, %low : index
    }
    loop.for %i = %zero to %m {
      %l = loop.get %low : index
      loop.store %l, %x[%part] : index
    }
  }
  func.return
}

// -----

// Divisions before the main loop are done there as well: each is much code where LLVM optimises it.
// CHECK-LABEL: llvm.func @divides(
// CHECK: llvm.func internal @irtensor.iteration.0(
// CHECK-NOT: llvm.sdiv
// CHECK: llvm.func internal @irtensor.iteration.0.captured(
// CHECK: llvm.sdiv
// CHECK: llvm.call @irtensor.iteration.0(
func.func @divides(%n: index, %x: !loop.buffer<f64>, %m: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  loop.parallel %part = %zero to %n {
    %end = arith.divsi %m, %n : index
    loop.for %i = %zero to %end {
      loop.store %one, %x[%i] : f64
    }
  }
  func.return
}

// -----

// An iteration that is nothing but that has one function.
// CHECK-LABEL: llvm.func @copies_a_slice(
// CHECK-NOT: @irtensor.iteration.0(
// CHECK: llvm.func internal @irtensor.iteration.0.captured(
// CHECK: llvm.sdiv
// CHECK-NOT: @irtensor.iteration.0(
// CHECK: llvm.return
func.func @copies_a_slice(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %m: index) {
  %zero = arith.constant 0 : index
  loop.parallel %part = %zero to %n {
    %count = arith.divsi %m, %n : index
    loop.copy %x[%zero], %y[%part], %count : f64
  }
  func.return
}
