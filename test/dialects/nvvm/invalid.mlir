// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

llvm.func @empty_range() {
  // expected-error @+1 {{no integer is from 32 on and below 32}}
  %0 = nvvm.read.ptx.sreg.laneid range <i32, 32, 32> : i32
  llvm.return
}

// -----

llvm.func @wide_range() {
  // expected-error @+1 {{the range of a register is of i32, not of i64}}
  %0 = nvvm.read.ptx.sreg.tid.x range <i64, 0, 32> : i32
  llvm.return
}

// -----

llvm.func @wide_register() {
  // expected-error @+1 {{i32}}
  %0 = nvvm.read.ptx.sreg.tid.x : i64
  llvm.return
}

// -----

// Eight bytes are shuffled in two halves.
llvm.func @wide_shuffle(%m: i32, %v: f64) {
  // expected-error @+1 {{the value of a shuffle has type i32 or f32, not f64}}
  %0 = nvvm.shfl.sync bfly %m, %v, %m, %m : f64 -> f64
  llvm.return
}

// -----

llvm.func @other_type(%m: i32, %v: f32) {
  // expected-error @+1 {{the result of this shuffle has type f32, not i32}}
  %0 = nvvm.shfl.sync up %m, %v, %m, %m : f32 -> i32
  llvm.return
}

// -----

llvm.func @unknown_kind(%m: i32) {
  // expected-error @+1 {{expected bfly, up, down, idx, got 'left'}}
  %0 = nvvm.shfl.sync left %m, %m, %m, %m : i32 -> i32
  llvm.return
}

// -----

llvm.func @ballot(%m: i32, %c: i1) {
  // expected-error @+1 {{the result of vote 'ballot' has type i32, not i1}}
  %0 = nvvm.vote.sync ballot %m, %c -> i1
  llvm.return
}

// -----

llvm.func @vote(%m: i32, %c: i1) {
  // expected-error @+1 {{the result of vote 'any' has type i1, not i32}}
  %0 = nvvm.vote.sync any %m, %c -> i32
  llvm.return
}

// -----

llvm.func @reduce_floats(%m: i32, %v: f32) {
  // expected-error @+1 {{i32}}
  %0 = nvvm.redux.sync add %v, %m : f32 -> f32
  llvm.return
}

// -----

llvm.func @match_narrow(%m: i32, %v: i8) {
  // expected-error @+1 {{the value to match has type i32 or i64, not i8}}
  %0 = nvvm.match.sync any %m, %v : i8 -> i32
  llvm.return
}

// -----

llvm.func @match_all(%m: i32) {
  // expected-error @+1 {{the result of match 'all' has type !llvm.struct<(i32, i1)>, not i32}}
  %0 = nvvm.match.sync all %m, %m : i32 -> i32
  llvm.return
}
