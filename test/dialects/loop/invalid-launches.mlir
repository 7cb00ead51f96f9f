// Launches of kernels that are not there, or that take something else.
// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%n: index) {
  // expected-error @+1 {{kernel @kernels::@one is not in a module beside the function}}
  loop.launch %n of @kernels::@one(%n) : (index)
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{kernel @kernels::@two is not in a module beside the function}}
  loop.launch %n of @kernels::@two(%n) : (index)
  func.return
}
builtin.module @kernels {
  func.func @one(%n: index) attributes {nvvm.kernel} {
    func.return
  }
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{the kernel takes (!loop.buffer<f64>), not (index)}}
  loop.launch %n of @kernels::@one(%n) : (index)
  func.return
}
builtin.module @kernels {
  func.func @one(%x: !loop.buffer<f64>) attributes {nvvm.kernel} {
    func.return
  }
}

// -----

// A set lies in memory of words.
func.func @f(%n: index, %x: !loop.buffer<f64>) {
  // expected-error @+1 {{a set lies in a buffer of i64, not !loop.buffer<f64>}}
  %s = loop.index_set %n in %x : !loop.buffer<f64>
  func.return
}
