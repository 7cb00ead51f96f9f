// RUN: irtensor-opt %s -p concretize,insert-conversions,choose-loop-order,lower-concrete-index-to-iteration-lattice | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Arguments have no names: neither has what becomes of them, but for the one that is read converted as well.
// CHECK:      func.func @add(%0: tensor<?x?xf64, {{.*}}>, %operand_converted: tensor<?x?xf64, {{.*}}> {storage.converts = 0 : index})
func.func @add(%0: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
    %a = index_notation.access %0[%i, %j] : tensor<?x?xf64, #csr>
    %b = index_notation.access %0[%j, %i] : tensor<?x?xf64, #csr>
    %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
    index_notation.yield %s : f64
  }
  func.return %C : tensor<?x?xf64, #csr>
}
