// RUN: irtensor-opt %s --verify-diagnostics -p spread-loops

// Each thread would have a workspace of its own, which a team of threads cannot share.
func.func @own(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %n: index, %m: index) {
  %zero = arith.constant 0 : index
  %f = algebra.constant 0.0 : f64
  %w = loop.scratch : f64
  loop.reserve %w, %m : f64
  %data = loop.data %w : f64
  // expected-error @+1 {{[unsupported-workspace] the loop over i cannot be for teams of 32 threads: 'w' is filled and read in each iteration, and threads of a team share no workspace}}
  loop.for %i = %zero to %n attributes {parallel = "none", team = 32 : i64, over = "i"} {
    loop.fill %f, %data[%zero to %m] : f64
    %v = loop.load %x[%i] : f64
    loop.store %v, %data[%zero] : f64
    %r = loop.load %data[%zero] : f64
    loop.store %r, %y[%i] : f64
  }
  func.return
}
