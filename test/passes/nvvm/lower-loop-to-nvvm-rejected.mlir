// What only the host can do does not stand in a kernel.
// RUN: irtensor-opt %s --split-input-file --verify-diagnostics -p lower-loop-to-nvvm

func.func @room(%n: index, %g: !loop.growable<f64>) attributes {nvvm.kernel} {
  // expected-error @+1 {{'loop.reserve' is for the host: a kernel has memory that was made before it}}
  loop.reserve %g, %n : f64
  func.return
}

// -----

func.func @pool(%n: index) attributes {nvvm.kernel} {
  // expected-error @+1 {{lower-loop-to-nvvm cannot lower 'loop.parts'}}
  %parts = loop.parts %n
  func.return
}

// -----

// Each block has the threads that its kernel is launched with.

func.func @other_blocks(%n: index) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 64>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{blocks of 32 threads are in a kernel whose blocks have 64}}
  loop.parallel %b = %c0 to %n on blocks(32) {
  }
  func.return
}

// -----

func.func @unknown_blocks(%n: index) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{blocks of 32 threads are in a kernel without 'nvvm.maxntid'}}
  loop.parallel %b = %c0 to %n on blocks(32) {
  }
  func.return
}
