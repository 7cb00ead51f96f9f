// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p expand-temporaries | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// In storage order already: the scalar stays.
// CHECK-LABEL: func.func @rows
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
func.func @rows(%A: tensor<?x?xf64, #csr>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%u) {
        %s = concrete_index.access %u[] : tensor<f64>
        %c = concrete_index.access %b[%i] : tensor<?xf64>
        %r = algebra.apply add(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Only few coordinates of the product are needed, those of S: a row of it would be more work.
// CHECK-LABEL: func.func @sampled
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
func.func @sampled(%S: tensor<?x?xf64, #csr>, %P: tensor<?x?xf64>, %Q: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %P[%i, %k] : tensor<?x?xf64>
            %b = concrete_index.access %Q[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %S[%i, %j] : tensor<?x?xf64, #csr>
          %r = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          concrete_index.assign %r into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

// Both operands are read along their rows as it is.
// CHECK-LABEL: func.func @along
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
func.func @along(%P: tensor<?x?xf64>, %Q: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %P[%i, %k] : tensor<?x?xf64>
            %b = concrete_index.access %Q[%j, %k] : tensor<?x?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %r = algebra.apply sqrt(%s) : (f64) -> f64
          concrete_index.assign %r into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}
