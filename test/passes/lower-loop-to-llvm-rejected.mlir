// RUN: irtensor-opt %s --split-input-file --allow-unregistered-dialect -p lower-loop-to-llvm --verify-diagnostics | filecheck %s

// Declarations have nothing to lower.
// CHECK: func.func private @declared(index)
func.func private @declared(index)

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// expected-error @+1 {{[wrong-stage] lower-loop-to-llvm cannot lower values of type tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>}}
func.func @tensor(%A: tensor<?x?xf64, #csr>) {
  func.return
}

// -----

// expected-error @+1 {{[wrong-stage] a cell cannot be an argument: it ends with its function}}
func.func @cell(%t: !loop.cell<f64>) {
  func.return
}

// -----

func.func @types(%a: f64) {
  // expected-error @+1 {{[wrong-stage] lower-loop-to-llvm cannot lower values of type f16}}
  %b = arith.truncf %a : f64 to f16
  func.return
}

// -----

// A result would be lost: the function's result in LLVM is its status.
func.func @result(%a: i32) -> i32 {
  // expected-error @+1 {{[wrong-stage] a function of loops has no results}}
  func.return %a : i32
}

// -----

func.func private @callee() -> i32

func.func @call() {
  // expected-error @+1 {{[wrong-stage] a function of loops has no results}}
  %a = func.call @callee() : () -> i32
  func.return
}

// -----

func.func @condition(%a: i1) {
  loop.while {
    // expected-error @+1 {{[wrong-stage] lower-loop-to-llvm cannot lower 'algebra.apply'}}
    %b = algebra.apply not(%a) : (i1) -> i1
    loop.condition %b
  } do {
  }
  func.return
}

// -----

// expected-error @+1 {{[wrong-stage] 'branches' is not structured: it jumps between blocks}}
func.func @branches() {
  cf.br ^exit
^exit:
  func.return
}

// -----

func.func private @threaded(%n: index) {
  %parts = loop.parts %n
  func.return
}
func.func @iterations(%n: index) {
  loop.parallel %i = %n to %n {
    // expected-error @+1 {{[wrong-stage] 'threaded' has parallel loops, and so has what calls it}}
    func.call @threaded(%n) : (index) -> ()
  }
  func.return
}

// -----

func.func @counted() {
  // expected-error @+1 {{[wrong-stage] lower-loop-to-llvm cannot lower 'loop.counter'}}
  %c = loop.counter
  func.return
}

// -----

func.func @accumulated(%w: !loop.buffer<f64>, %v: f64, %j: index, %was: i1) {
  // expected-error @+1 {{[wrong-stage] lower-loop-to-llvm cannot lower 'loop.accumulate'}}
  loop.accumulate add %v into %w[%j] where %was : f64
  func.return
}
