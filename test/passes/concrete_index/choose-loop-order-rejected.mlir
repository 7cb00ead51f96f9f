// RUN: irtensor-opt %s --split-input-file -p choose-loop-order --verify-diagnostics

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// Rows of one operand, columns of the other.
func.func @cycle(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csc>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-note @+1 {{'B' is stored (i, j) -> (i : dense, j : compressed)}}
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        // expected-error @+2 {{[loop-order-cycle]}}
        // expected-note @+1 {{'C' is stored (i, j) -> (j : dense, i : compressed)}}
        %c = concrete_index.access %C[%i, %j] : tensor<?x?xf64, #csc>
        %s = algebra.apply add(%b, %c) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// SpGEMM without a workspace: the loop over k would append to a row of A out of order.
func.func @scatter(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, #csr>
          // expected-note @+1 {{'C' is stored}}
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          // expected-error @+2 {{[output-needs-workspace] level 1 (j : compressed) of 'out' is written out of order by the loop over k}}
          // expected-note @+1 {{'out' is stored}}
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// The loop over i encloses a statement that cannot go on without j (K17): the loops are not directly nested.
func.func @bottom_up(%B: tensor<?x?xf64, #csc>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          // expected-error @+2 {{[loop-order-cycle]}}
          // expected-note @+1 {{'B' is stored (i, j) -> (j : dense, i : compressed)}}
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csc>
          concrete_index.assign add %b into %t[] : tensor<f64>
        }
      } consume (%u) {
        %s = concrete_index.access %u[] : tensor<f64>
        %v = concrete_index.access %d[%i] : tensor<?xf64>
        %r = algebra.apply add(%s, %v) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
