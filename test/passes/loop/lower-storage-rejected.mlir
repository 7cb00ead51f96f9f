// RUN: irtensor-opt %s --split-input-file -p lower-storage --verify-diagnostics

// An operand has no storage of its own to return.
func.func @operand(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{[operand-returned] the function returns 'x', which it does not compute}}
  func.return %x : tensor<?xf64>
}

// -----

func.func @returned_twice(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %n = storage.dim %x, 0 : tensor<?xf64>
  %y = storage.result : tensor<?xf64>
  // expected-error @+1 {{[unsupported-function] the function returns 'y' twice, and a tensor is stored once}}
  func.return %y, %y : tensor<?xf64>, tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @not_loops_yet(%A: tensor<?x?xf64, #csr>) {
  // expected-error @+1 {{[wrong-stage] lower-storage cannot lower 'storage.root'}}
  %root = storage.root %A : tensor<?x?xf64, #csr>
  func.return
}

// -----

// A tensor that is neither passed nor returned has no arrays.
func.func @nowhere() {
  %y = storage.result : tensor<?xf64>
  // expected-error @+1 {{[wrong-stage] the tensor of 'storage.dim' is neither an argument nor returned}}
  %n = storage.dim %y, 0 : tensor<?xf64>
  func.return
}

// -----

// Only arrays of a result grow.
#list = #storage.format<(i) -> (i : compressed)>
func.func @operands_do_not_grow(%x: tensor<?xf64, #list>) {
  // expected-error @+1 {{[wrong-stage] the function is given this array as !loop.buffer<i64>, not !loop.growable<i64>}}
  %crd = storage.growable coordinates 0 of %x : tensor<?xf64, #list> -> !loop.growable<i64>
  func.return
}

// -----

func.func @end(%x: tensor<?xf64>) {
  // expected-error @+1 {{[wrong-stage] lower-storage cannot lower 'test.termop'}}
  "test.termop"() : () -> ()
}
