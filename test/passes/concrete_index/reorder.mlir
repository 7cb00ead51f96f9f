// RUN: irtensor-opt %s --split-input-file -p 'reorder{order="k","i"}' | filecheck %s

// Variables that are not named keep their place.
// CHECK-LABEL: func.func @matmul
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64> scheduled ["reorder"] {
// CHECK-NEXT:   concrete_index.forall %k {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %i {
// CHECK-NEXT:         %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
// CHECK-NEXT:         %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
// CHECK-NEXT:         %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64>
func.func @matmul(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

// Two loops that both reduce may change places under an associative and commutative operator.
// CHECK-LABEL: func.func @total
// CHECK-NEXT: %s = concrete_index.compute (%out) : tensor<f64> scheduled ["reorder"] {
// CHECK-NEXT:   concrete_index.forall %k {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
// CHECK-NEXT:       concrete_index.assign max %a into %out[] : tensor<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : tensor<f64>
func.func @total(%A: tensor<?x?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
        concrete_index.assign max %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

// What computes the range of a loop goes with it, as far inside as it can.
// CHECK-LABEL: func.func @tiles
// CHECK:        concrete_index.forall %k from %zero to %two {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       %lo = arith.muli %k, %half : index
// CHECK-NEXT:       %hi = arith.addi %lo, %half : index
// CHECK-NEXT:       concrete_index.forall %j from %lo to %hi {
// CHECK-NEXT:         %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
func.func @tiles(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %n = concrete_index.extent %A, 1 : tensor<?x?xf64>
    %half = arith.divsi %n, %two : index
    concrete_index.forall %i {
      concrete_index.forall %k from %zero to %two {
        %lo = arith.muli %k, %half : index
        %hi = arith.addi %lo, %half : index
        concrete_index.forall %j from %lo to %hi {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
          concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

// The loop around a temporary goes around its producer, which now has the other loop outside, and its consumer. What
// only the consumer needs is there alone: the temporary has no dimension for j.
// CHECK-LABEL: func.func @temporary
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?x?xf64> scheduled ["reorder"] {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<?xf64, #storage.format<(i) -> (i : dense), fill = -inf>> {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %i attributes {unroll = 2 : i64} {
// CHECK-NEXT:         %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
// CHECK-NEXT:         concrete_index.assign max %a into %t[%i]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%u) {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %i_1 attributes {unroll = 2 : i64} {
// CHECK-NEXT:         %s = concrete_index.access %u[%i_1]
// CHECK-NEXT:         %b = concrete_index.access %B[%j] : tensor<?xf64>
// CHECK-NEXT:         %p = algebra.apply mul(%s, %b) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign %p into %out[%i_1, %j] : tensor<?x?xf64>
func.func @temporary(%A: tensor<?x?xf64>, %B: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i attributes {unroll = 2 : i64} {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
            concrete_index.assign max %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %b = concrete_index.access %B[%j] : tensor<?xf64>
          %p = algebra.apply mul(%s, %b) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// In a column of a result that is stored by rows there are few entries, so the workspace holds what is stored.
// CHECK-LABEL: func.func @columns_of_rows
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.where produce (%{{.*}}) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
func.func @columns_of_rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csc>, %D: tensor<?x?xf64>)
    -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%k, %i] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %d = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csc>
          %r = algebra.apply add(%s, %d) : (f64, f64) -> f64
          concrete_index.assign %r into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
