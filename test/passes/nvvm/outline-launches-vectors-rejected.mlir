// RUN: irtensor-opt %s -p outline-launches --split-input-file --verify-diagnostics

// Host and device share numbers, not vectors: what the host would read,
func.func @read(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{[wrong-stage] outline-launches: host and device share numbers, and 'loop.load' is of type vector<4xf64>}}
  %w = loop.load %b[%n] : vector<4xf64>
  %c = loop.cell %w : vector<4xf64>
  func.return
}

// -----

// what a kernel would have computed for it,
func.func @computed(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{[wrong-stage] outline-launches: host and device share numbers, and 'loop.load_lanes' is of type vector<4xf64>}}
  %w = loop.load_lanes %b[%n], %n : vector<4xf64>
  %c = loop.cell %w : vector<4xf64>
  func.return
}

// -----

// and a cell that both would change.
func.func @changed(%b: !loop.buffer<f64>, %n: index, %v: vector<4xf64>, %t: i1) {
  // expected-error @+1 {{[wrong-stage] outline-launches: host and device share numbers, and 'loop.cell' is of type vector<4xf64>}}
  %c = loop.cell %v : vector<4xf64>
  loop.if %t {
    loop.store %v, %b[%n] : vector<4xf64>
    loop.set %v, %c : vector<4xf64>
  }
  func.return
}
