// RUN: irtensor-opt %s --split-input-file -p match-blocks | filecheck %s

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Blocks beside a list of coordinates are joined.
// CHECK-LABEL: func.func @joined
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index}
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>)
func.func @joined(%A: tensor<?x?xf64, #bcsr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #bcsr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// A result decides: its operand, transposed here, takes its blocks.
// CHECK-LABEL: func.func @result
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (j floordiv 2 : dense, i floordiv 3 : compressed, j mod 2 : dense, i mod 3 : dense)>> {storage.converts = 0 : index}
func.func @result(%A: tensor<?x?xf64, #csc>) -> tensor<?x?xf64, #bcsr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #bcsr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csc>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #bcsr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #bcsr>
}
