// RUN: irtensor-opt %s --split-input-file -p lower-loop-to-nvvm | filecheck %s

// Each thread begins with the iteration of its number in the grid, and goes on by as many as there are threads.
// CHECK-LABEL: llvm.func @fill(
// CHECK-SAME: %n: i64 {llvm.noundef}, %x: !llvm.ptr<1> {llvm.noundef, llvm.noalias}) attributes {nvvm.kernel, no_unwind} {
// CHECK: nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: nvvm.read.ptx.sreg.ntid.x : i32
// CHECK: nvvm.read.ptx.sreg.tid.x : i32
// CHECK: nvvm.read.ptx.sreg.nctaid.x : i32
// CHECK: [[STEP:%.*]] = llvm.mul
// CHECK: [[FIRST:%.*]] = llvm.add %0, %{{.*}} overflow<nsw> : i64
// CHECK: llvm.icmp "slt" [[FIRST]], %n
// CHECK: llvm.cond_br %{{.*}}, ^bb1(
// CHECK: ^bb1([[I:%.*]]: i64):
// CHECK: llvm.store [[I]]
// CHECK: llvm.add [[I]], [[STEP]]
// CHECK: llvm.return
// CHECK-NEXT: }
func.func @fill(%n: index, %x: !loop.buffer<index> {llvm.noalias}) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    loop.store %i, %x[%i] : index
  }
  func.return
}

// -----

// Functions of mathematics are those of the device's library; fills and copies are loops. What the host runs is left.
// CHECK-LABEL: llvm.func @more(
// CHECK: llvm.call @__nv_expf(%v)
// CHECK-NOT: memset
// CHECK-NOT: memmove
// CHECK: llvm.return
// CHECK: func.func @host
func.func @more(%n: index, %x: !loop.buffer<f32>, %v: f32) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  loop.parallel %i = %zero to %n {
    loop.fill %none, %x[%zero to %i] : f32
    %w = math.exp %v : f32
    loop.store %w, %x[%i] : f32
    loop.copy %x[%zero], %x[%i], %i : f32
  }
  func.return
}
func.func @host(%n: index) {
  func.return
}

// -----

// A search knows the memory that it looks into, and whether nobody changes that.
// CHECK-LABEL: llvm.func @look(
// CHECK: llvm.call @irtensor.lower_bound.i64.read_only.p1(%fixed,
// CHECK: llvm.call @irtensor.lower_bound.i64.p1(%x,
// CHECK: llvm.mlir.addressof @look_shared_0 : !llvm.ptr<3>
// CHECK: llvm.call @irtensor.lower_bound.i64.p3(
// CHECK: llvm.func internal @irtensor.lower_bound.i64.read_only.p1(%{{.*}}: !llvm.ptr<1> {llvm.noalias, llvm.noundef, llvm.readonly},
// CHECK: llvm.func internal @irtensor.lower_bound.i64.p1(%{{.*}}: !llvm.ptr<1> {llvm.noalias, llvm.noundef},
// CHECK: llvm.func internal @irtensor.lower_bound.i64.p3(%{{.*}}: !llvm.ptr<3> {llvm.noalias, llvm.noundef},
func.func @look(%n: index, %fixed: !loop.buffer<i64> {llvm.noalias, llvm.readonly}, %x: !loop.buffer<i64> {llvm.noalias}) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>} {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n on blocks(32) {
    %a = loop.lower_bound %fixed[%zero to %n], %i : i64
    %b = loop.lower_bound %x[%zero to %a], %i : i64
    %s = loop.shared 32 : i64
    %c = loop.lower_bound %s[%zero to %b], %i : i64
    %d = arith.index_cast %c : index to i64
    loop.store %d, %x[%i] : i64
  }
  func.return
}

// -----

// LLVM leaves the loops of a kernel with a set or a map as they are.
// CHECK-LABEL: llvm.func @member(
// CHECK-SAME: passthrough = {{.*}}"irtensor-effort", "light"
func.func @member(%n: index, %memory: !loop.buffer<i64> {llvm.noalias}) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %own = loop.view %memory[%i] : i64
    %set = loop.index_set %n in %own : !loop.buffer<i64>
    %new = loop.insert %i into %set
  }
  func.return
}

// -----

// A kernel runs to its end: nobody can be asked whether a loop shall go on.
// CHECK-LABEL: llvm.func @polled(
// CHECK-NOT: irtensor.poll
// CHECK: llvm.return
// CHECK-NEXT: }
func.func @polled(%n: index, %x: !loop.buffer<index> {llvm.noalias}) attributes {nvvm.kernel} {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    loop.for %j = %zero to %n attributes {poll = 7 : i64} {
      loop.store %j, %x[%i] : index
    }
  }
  func.return
}
