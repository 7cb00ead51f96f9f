// RUN: irtensor-opt %s --split-input-file -p lower-storage --verify-diagnostics

// An operand has no storage of its own to return.
func.func @operand(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{[operand-returned] a function returns a tensor that it does not define}}
  func.return %x : tensor<?xf64>
}
