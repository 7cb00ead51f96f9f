// RUN: irtensor-opt %s --split-input-file -p insert-workspaces | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// K9: rows of the result are in order, so the workspace holds one row at a time (Gustavson).
// CHECK-LABEL: func.func @spgemm
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         %a = concrete_index.access %A[%i, %k]
// CHECK-NEXT:         %b = concrete_index.access %B[%k, %j]
// CHECK-NEXT:         %p = algebra.apply mul(%a, %b)
// CHECK-NEXT:         concrete_index.assign add %p into %w[%j]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%w_1) {
// CHECK-NEXT:     concrete_index.forall %j_1 {
// CHECK-NEXT:       %0 = concrete_index.access %w_1[%j_1]
// CHECK-NEXT:       concrete_index.assign %0 into %out[%i, %j_1]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @spgemm(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#tensor = #storage.format<(i, j, k) -> (i : dense, j : compressed, k : dense)>
// Dense levels below the one that is appended to belong to the workspace; max starts from minus infinity. A maximum is
// one of zeros where no entries are, so that the workspace is dense.
// CHECK-LABEL: func.func @blocks
// CHECK:      concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : dense), fill = -inf>> {
// CHECK:        concrete_index.assign max %p into %w[%j, %l]
// CHECK:      } consume (%w_1) {
// CHECK-NEXT:   concrete_index.forall %j_1 {
// CHECK-NEXT:     concrete_index.forall %l_1 {
// CHECK-NEXT:       %0 = concrete_index.access %w_1[%j_1, %l_1]
// CHECK-NEXT:       concrete_index.assign %0 into %out[%i, %j_1, %l_1]
func.func @blocks(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?x?xf64, #tensor>) -> tensor<?x?x?xf64, #tensor> {
  %C = concrete_index.compute (%out) : tensor<?x?x?xf64, #tensor> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %l {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %B[%k, %j, %l] : tensor<?x?x?xf64, #tensor>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign max %p into %out[%i, %j, %l] : tensor<?x?x?xf64, #tensor>
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?x?xf64, #tensor>
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#dcsc = #storage.format<(i, j) -> (j : compressed, i : compressed)>
// Neither level of the result is reached in order: both are held, in maps, whose memory is that of what is stored.
// CHECK-LABEL: func.func @outer_products
// CHECK:      concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : map, j : map)>> {
// CHECK-NEXT:   concrete_index.forall %k {
// CHECK:            concrete_index.assign add %p into %w[%i, %j]
// CHECK:      } consume (%w_1) {
// CHECK-NEXT:   concrete_index.forall %i_1 {
// CHECK-NEXT:     concrete_index.forall %j_1 {
// CHECK-NEXT:       %0 = concrete_index.access %w_1[%i_1, %j_1]
// CHECK-NEXT:       concrete_index.assign %0 into %out[%i_1, %j_1]
func.func @outer_products(%A: tensor<?x?xf64, #dcsc>, %B: tensor<?x?xf64, #dcsr>) -> tensor<?x?xf64, #dcsr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #dcsr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #dcsc>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #dcsr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #dcsr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #dcsr>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
#rows = #storage.format<(i, j) -> (i : compressed, j : dense)>
// The loops go around a temporary: the result is stored by its consumer, in the order that %D asks for.
// CHECK-LABEL: func.func @consumer
// CHECK:      concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : dense)>> {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:         concrete_index.forall %k {
// CHECK:            }
// CHECK-NEXT:       } consume (%u) {
// CHECK:              concrete_index.assign %s into %w[%i, %j]
// CHECK:      } consume (%w_1) {
// CHECK-NEXT:   concrete_index.forall %i_1 {
// CHECK-NEXT:     concrete_index.forall %j_1 {
// CHECK-NEXT:       %0 = concrete_index.access %w_1[%i_1, %j_1]
// CHECK-NEXT:       concrete_index.assign %0 into %out[%i_1, %j_1]
func.func @consumer(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %D: tensor<?x?xf64, #csc>) -> tensor<?x?xf64, #rows> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #rows> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %v = concrete_index.access %u[] : tensor<f64>
          %d = concrete_index.access %D[%i, %j] : tensor<?x?xf64, #csc>
          %s = algebra.apply add(%v, %d) : (f64, f64) -> f64
          concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #rows>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #rows>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Nested in a loop of its own: the loops around the consumer are those that come back to entries of the result.
// CHECK-LABEL: func.func @nested
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : dense)>> {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.where produce (%t)
// CHECK:              concrete_index.assign add %q into %w[%j_1]
// CHECK:        } consume (%w_1) {
// CHECK-NEXT:     concrete_index.forall %j_2 {
// CHECK:            concrete_index.assign %{{.*}} into %out[%i, %j_2]
func.func @nested(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.where produce (%t) : tensor<?xf64> {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
            concrete_index.assign %b into %t[%j] : tensor<?xf64>
          }
        } consume (%u) {
          concrete_index.forall %j {
            %v = concrete_index.access %u[%j] : tensor<?xf64>
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %q = algebra.apply mul(%v, %a) : (f64, f64) -> f64
            concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, #csr>
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A row with an entry for each coordinate is collected in a dense workspace: %B is read by rows.
// CHECK-LABEL: func.func @full_rows
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : dense)>> {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK:              concrete_index.assign add %p into %w[%j]
// CHECK:        } consume (%w_1) {
// CHECK:            concrete_index.assign %0 into %out[%i, %j_1]
func.func @full_rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#bitmap = #storage.format<(i, j) -> (i : dense, j : bitmap)>
// Whether %B has an entry is only asked inside of the loop over k: appended in order, there would be one for each j.
// CHECK-LABEL: func.func @looked_up
// CHECK:       concrete_index.forall %i {
// CHECK-NEXT:    concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK-NEXT:      concrete_index.forall %k {
// CHECK-NEXT:        concrete_index.forall %j {
func.func @looked_up(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #bitmap>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #bitmap>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
