// RUN: irtensor-opt %s --verify-diagnostics -p lower-loop-to-llvm

func.func @no_pattern(%lo: index, %hi: index, %y: !loop.buffer<f64>) {
  %one = arith.constant 1.0 : f64
  // expected-error @+1 {{the bytes of a value of type f64 are not a constant pattern of 4 bytes}}
  loop.memset %one, %y[%lo to %hi] : f64
  func.return
}
