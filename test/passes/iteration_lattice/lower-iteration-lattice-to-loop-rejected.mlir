// RUN: irtensor-opt %s --split-input-file -p lower-iteration-lattice-to-loop --verify-diagnostics

func.func @not_rewritten(%lo: index, %hi: index, %t: !loop.cell<f64>, %v: f64) {
  // expected-error @+1 {{[wrong-stage] lower-iteration-lattice-to-loop cannot lower 'iteration_lattice.coiterate'}}
  iteration_lattice.coiterate %lo to %hi {
  ^bb0(%i: index):
    iteration_lattice.update add %v into %t : f64, !loop.cell<f64>
  }
  func.return
}

// -----

// An operand is not written to.
func.func @operand(%x: tensor<?xf64>, %i: index, %v: f64) {
  %root = storage.root %x : tensor<?xf64>
  // expected-error @+1 {{[wrong-stage] this operation writes to a fiber of no result of this function}}
  iteration_lattice.place %root at %i : !storage.fiber<tensor<?xf64>, 0> {
  ^bb0(%slot: !storage.fiber<tensor<?xf64>, 1>):
    iteration_lattice.update %v into %slot : f64, !storage.fiber<tensor<?xf64>, 1>
  }
  func.return
}

// -----

// The same in a loop, which asks first how many entries are appended.
!fiber = !storage.fiber<tensor<?xf64, #storage.format<(i) -> (i : compressed)>>, 0>
!entry = !storage.fiber<tensor<?xf64, #storage.format<(i) -> (i : compressed)>>, 1>
func.func @argument(%fiber: !fiber, %n: index, %v: f64) {
  iteration_lattice.walk %n to %n {
  ^bb0(%p: index):
    // expected-error @+1 {{[wrong-stage] this operation writes to a fiber of no result of this function}}
    iteration_lattice.place %fiber at %p : !fiber {
    ^bb0(%slot: !entry):
      iteration_lattice.update %v into %slot : f64, !entry
    }
  }
  func.return
}

// -----

func.func @end(%x: tensor<?xf64>) {
  // expected-error @+1 {{[wrong-stage] lower-iteration-lattice-to-loop cannot lower 'test.termop'}}
  "test.termop"() : () -> ()
}

// -----

// Fibers are gone afterwards, so nothing else may use them.
func.func @fiber(%A: tensor<?xf64>) {
  %f = storage.root %A : tensor<?xf64>
  // expected-error @+1 {{[wrong-stage] lower-iteration-lattice-to-loop cannot lower 'test.op'}}
  "test.op"(%f) : (!storage.fiber<tensor<?xf64>, 0>) -> ()
  func.return
}

// -----

// An operand is no workspace either.
func.func @initialized(%x: tensor<?xf64>, %v: f64) {
  // expected-error @+1 {{[wrong-stage] the tensor of 'storage.initialize' is not a workspace of this function}}
  %write = storage.initialize %x : tensor<?xf64> -> !storage.fiber<tensor<?xf64>, 0>
  func.return
}

// -----

// Lanes of a vector store where the iterations before them have ended, which is known if each appends as much.
!result = tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
!root = !storage.fiber<!result, 0>
!entry = !storage.fiber<!result, 1>
func.func @skips(%x: !loop.buffer<f64>, %stored: !loop.buffer<i1>, %n: index) -> !result {
  %A = storage.result : !result
  %zero = arith.constant 0 : index
  %root = storage.root %A : !result
  // expected-error @+1 {{[illegal-vectorize] vectorize: loop j appends entries of 'A' in some of its iterations only, each behind those before it}}
  loop.for %i = %zero to %n attributes {vectorize = 4 : i64, over = "j"} {
    %there = loop.load %stored[%i] : i1
    iteration_lattice.if %there {
      iteration_lattice.place %root at %i : !root {
      ^bb0(%slot: !entry):
        %v = loop.load %x[%i] : f64
        iteration_lattice.update %v into %slot : f64, !entry
      }
    } else {
    }
  }
  func.return %A : !result
}

// -----

// A set is changed by one iteration after another.
!space = tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
!root = !storage.fiber<!space, 0>
!entry = !storage.fiber<!space, 1>
func.func @inserts(%x: !loop.buffer<f64>, %n: index) {
  %w = storage.workspace(%n) : !space
  %zero = arith.constant 0 : index
  %root = storage.initialize %w : !space -> !root
  // expected-error @+1 {{[illegal-vectorize] vectorize: loop i looks for entries of 'w', and adds those that are not there, each behind those before it}}
  loop.for %i = %zero to %n attributes {vectorize = 4 : i64} {
    iteration_lattice.place %root at %i : !root {
    ^bb0(%slot: !entry):
      %v = loop.load %x[%i] : f64
      iteration_lattice.update %v into %slot : f64, !entry
    }
  }
  func.return
}
