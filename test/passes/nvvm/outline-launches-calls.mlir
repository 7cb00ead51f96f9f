// Calls, and memory that another pass lowers, become no kernels.
// RUN: irtensor-opt %s --split-input-file --verify-diagnostics -p spread-loops -p outline-launches

func.func @callee(%n: index) {
  func.return
}

func.func @inside(%n: index) {
  %c0 = arith.constant 0 : index
  loop.parallel %i = %c0 to %n {
    // expected-error @+1 {{outline-launches cannot lower 'func.call'}}
    func.call @callee(%i) : (index) -> ()
  }
  func.return
}

// -----

func.func private @outside(index)

func.func @between(%n: index) {
  // expected-error @+1 {{outline-launches cannot lower 'func.call'}}
  func.call @outside(%n) : (index) -> ()
  func.return
}

// -----

func.func @private(%b: !loop.buffer<f64>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{outline-launches cannot lower 'loop.private'}}
  %own = loop.private add %b[%c0 to %n] : f64
  %parts = loop.parts %n each %n
  loop.parallel %i = %c0 to %parts {
    %x = loop.load %own[%i] : f64
    loop.store %x, %own[%i] : f64
  }
  func.return
}

// -----

// The module of kernels has a name of its own.
// expected-error @+1 {{[name-conflict] kernels of 'named' are to be in @named_kernels, which is there already}}
func.func @named(%n: index, %x: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    loop.store %i, %x[%i] : index
  }
  func.return
}
builtin.module @named_kernels {
}
