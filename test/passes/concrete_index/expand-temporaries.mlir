// RUN: irtensor-opt %s --split-input-file -p expand-temporaries | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p "expand-temporaries{rows=false}" | filecheck %s --check-prefix=DOWN

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// B is stored by rows, so the loop over j goes inside the one over k, of which the temporary becomes a row.
// CHECK-LABEL: func.func @product_and_sum
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK:              concrete_index.assign add %p into %w[%j]
// CHECK:        } consume (%w_1) {
// CHECK-NEXT:     concrete_index.forall %j_1 {
// CHECK-NEXT:       %s = concrete_index.access %w_1[%j_1]
// CHECK-NEXT:       %d = concrete_index.access %D[%i, %j_1]
// CHECK-NEXT:       %r = algebra.apply add(%s, %d)
// CHECK-NEXT:       concrete_index.assign %r into %out[%i, %j_1]
func.func @product_and_sum(
    %A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %D: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %d = concrete_index.access %D[%i, %j] : tensor<?x?xf64, #csr>
          %r = algebra.apply add(%s, %d) : (f64, f64) -> f64
          concrete_index.assign %r into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// K17: the result is dense, so a dense workspace costs no more than the result does.
// CHECK-LABEL: func.func @columns
// CHECK:      concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
func.func @columns(%A: tensor<?x?xf64, #csc>, %x: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csc>
          %v = concrete_index.access %x[%j] : tensor<?xf64>
          %p = algebra.apply mul(%a, %v) : (f64, f64) -> f64
          concrete_index.assign add %p into %t[] : tensor<f64>
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
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// The loops could go as they are, with each column of A beside each column of B. By rows of B, converted, only those
// are combined that meet.
// CHECK-LABEL: func.func @columns_with_columns
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK:              concrete_index.assign add %p into %w[%j]
func.func @columns_with_columns(
    %A: tensor<?x?xf64, #csc>, %B: tensor<?x?xf64, #csc>, %D: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%k, %i] : tensor<?x?xf64, #csc>
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csc>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %d = concrete_index.access %D[%i, %j] : tensor<?x?xf64, #csr>
          %r = algebra.apply add(%s, %d) : (f64, f64) -> f64
          concrete_index.assign %r into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// A factor that samples the product is worth a loop over the entries of a column for each of its own.
// CHECK-LABEL: func.func @sampled
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
func.func @sampled(
    %A: tensor<?x?xf64, #csc>, %B: tensor<?x?xf64, #csc>, %D: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%k, %i] : tensor<?x?xf64, #csc>
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csc>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %d = concrete_index.access %D[%i, %j] : tensor<?x?xf64, #csr>
          %r = algebra.apply mul(%s, %d) : (f64, f64) -> f64
          concrete_index.assign %r into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// B is dense, and stored by rows: a row of results is computed, and then the rest is applied to it.
// CHECK-LABEL: func.func @dense_rows
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:     concrete_index.forall %f {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK:        } consume (%w_1) {
// CHECK-NEXT:     concrete_index.forall %f_1 {
// DOWN-LABEL: func.func @dense_rows
// DOWN:         concrete_index.forall %f {
// DOWN-NEXT:      concrete_index.where produce (%t) : tensor<f64> {
func.func @dense_rows(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %f {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %j {
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %B[%j, %f] : tensor<?x?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %d[%i] : tensor<?xf64>
          %r = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          concrete_index.assign %r into %out[%i, %f] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// H is read across its rows at coordinates of entries: the entries are walked once for a row of the temporary.
// CHECK-LABEL: func.func @across
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:     concrete_index.forall %k {
// DOWN-LABEL: func.func @across
// DOWN:       concrete_index.where produce (%t) : tensor<f64> {
func.func @across(%A: tensor<?x?xf64, #csr>, %H: tensor<?x?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
  %R = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %j {
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
            %h = concrete_index.access %H[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%a, %h) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %c = concrete_index.access %b[%k] : tensor<?xf64>
          %r = algebra.apply add(%s, %c) : (f64, f64) -> f64
          concrete_index.assign %r into %out[%i, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %R : tensor<?x?xf64>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 4 : dense, j floordiv 4 : compressed, i mod 4 : dense, j mod 4 : dense)>
// Blocks: A is stored by rows inside of the blocks that are reduced over, V along f inside of its rows. The name of the
// coordinate goes inside with both loops.
// CHECK-LABEL: func.func @blocks
// CHECK:      concrete_index.forall %io {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?x?xf64> {
// CHECK-NEXT:     concrete_index.forall %ii {
// CHECK-NEXT:       concrete_index.forall %f {
// CHECK-NEXT:         concrete_index.forall %jo {
// CHECK:        } consume (%w_1) {
// CHECK-NEXT:     concrete_index.forall %ii_1 {
// CHECK-NEXT:       concrete_index.forall %f_1 {
// CHECK:              concrete_index.let %i
// DOWN-LABEL: func.func @blocks
// DOWN:         concrete_index.forall %f {
// DOWN:           concrete_index.let
// DOWN-NEXT:      concrete_index.where produce (%t) : tensor<f64> {
func.func @blocks(%A: tensor<?x?xf64, #bcsr>, %V: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c4 = arith.constant 4 : index
  %R = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %io {
      concrete_index.forall %ii {
        concrete_index.forall %f {
          %s = arith.muli %io, %c4 : index
          %is = arith.addi %s, %ii : index
          concrete_index.let %i = %is {
            concrete_index.where produce (%t) : tensor<f64> {
              concrete_index.forall %jo {
                concrete_index.forall %ji {
                  %r = arith.muli %jo, %c4 : index
                  %js = arith.addi %r, %ji : index
                  concrete_index.let %j = %js {
                    %a = concrete_index.access %A[%io, %jo, %ii, %ji] : tensor<?x?xf64, #bcsr>
                    %v = concrete_index.access %V[%j, %f] : tensor<?x?xf64>
                    %p = algebra.apply mul(%a, %v) : (f64, f64) -> f64
                    concrete_index.assign add %p into %t[] : tensor<f64>
                  }
                }
              }
            } consume (%u) {
              %b = concrete_index.access %u[] : tensor<f64>
              %e = algebra.apply exp(%b) : (f64) -> f64
              concrete_index.assign %e into %out[%i, %f] : tensor<?x?xf64>
            }
          }
        }
      }
    }
  }
  func.return %R : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The sum over a row of C is computed before the product, which does not need it. Only the product becomes a row.
// CHECK-LABEL: func.func @behind_another_sum
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK:              concrete_index.assign add %p into %w[%k]
// CHECK:        } consume (%w_1) {
// CHECK-NEXT:     concrete_index.forall %k_1 {
// CHECK-NEXT:       concrete_index.where produce (%t) : tensor<f64> {
// DOWN-LABEL: func.func @behind_another_sum
// DOWN-NOT:   where produce (%w)
func.func @behind_another_sum(
    %C: tensor<?x?xf64>, %X: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %D = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %l {
            %c = concrete_index.access %C[%k, %l] : tensor<?x?xf64>
            concrete_index.assign add %c into %t[] : tensor<f64>
          }
        } consume (%t_1) {
          concrete_index.where produce (%u) : tensor<f64> {
            concrete_index.forall %j {
              %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #csr>
              %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64>
              %p = algebra.apply mul(%x, %b) : (f64, f64) -> f64
              concrete_index.assign add %p into %u[] : tensor<f64>
            }
          } consume (%u_1) {
            %s = concrete_index.access %t_1[] : tensor<f64>
            %q = concrete_index.access %u_1[] : tensor<f64>
            %r = algebra.apply sub(%s, %q) : (f64, f64) -> f64
            concrete_index.assign %r into %out[%i, %k] : tensor<?x?xf64>
          }
        }
      }
    }
  }
  func.return %D : tensor<?x?xf64>
}

// -----

// Rows of sums over dense operands are dense, whatever comes after: here a sum along the row.
// CHECK-LABEL: func.func @squares_of_rows
// CHECK:      concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %k {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK:            concrete_index.assign add %p into %w[%k]
// DOWN-LABEL: func.func @squares_of_rows
func.func @squares_of_rows(%X: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %D = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %j {
            %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
            %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64>
            %p = algebra.apply mul(%x, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %q = algebra.apply mul(%s, %s) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %D : tensor<?xf64>
}
