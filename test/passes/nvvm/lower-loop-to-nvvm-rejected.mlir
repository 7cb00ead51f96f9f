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
