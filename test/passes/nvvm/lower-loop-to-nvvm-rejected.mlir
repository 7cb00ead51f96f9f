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

// -----

// A cell is combined by lanes of a team, which exchange values.

func.func @reduced(%n: index, %x: !loop.buffer<f32>) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %zero : f32
    loop.parallel %t = %c0 to %c32 on threads {
      %v = loop.load %x[%t] : f32
      // expected-error @+1 {{lower-loop-to-nvvm cannot lower 'loop.reduce' in a loop on threads}}
      loop.reduce %v into %sum (%a: f32, %c: f32) {
        %d = arith.addf %a, %c : f32
        loop.yield %d : f32
      }
    }
  }
  func.return
}

// -----

// An index has 64 bits.

func.func @far(%x: !loop.buffer<index>) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{constant 18446744073709551616 does not fit in 64 bits}}
  %n = arith.constant 18446744073709551616 : index
  loop.parallel %i = %c0 to %n {
    loop.store %i, %x[%i] : index
  }
  func.return
}

// -----

// What the threads of a block share fits together.

func.func @shared(%n: index, %x: !loop.buffer<f64>) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>} {
  %c0 = arith.constant 0 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %first = loop.shared 4001 : f64
    // expected-error @+1 {{17144 bytes are shared here and 32016 before, and a block shares at most 49152}}
    %second = loop.shared 2143 : f64
  }
  func.return
}
