// RUN: irtensor-opt %s --split-input-file -p choose-loop-order | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p "choose-loop-order{packs=false}" | filecheck %s --check-prefix=ROWS

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// A sparse operand is traversed in the order of its levels.
// CHECK-LABEL: func.func @columns
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:       concrete_index.assign add %a into %out[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @columns(%A: tensor<?x?xf64, #csc>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csc>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Row times row: k before j, because C is stored by rows.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:         %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:         %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64>
func.func @rows(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

// Dense operands only ask for their order: here both are dense, and row-major order of B and C gives i, k, j.
// CHECK-LABEL: func.func @dense
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
// CHECK-NEXT:         %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
// CHECK-NEXT:         %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64>
func.func @dense(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
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

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// SDDMM: an appended result keeps the reduction inside, although row-major D would rather have k before j (pitfall P6).
// CHECK-LABEL: func.func @sddmm
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64, {{.*}}> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK-NEXT:         %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:         %c = concrete_index.access %C[%i, %k] : tensor<?x?xf64>
// CHECK-NEXT:         %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
// CHECK-NEXT:         %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
// CHECK-NEXT:         %q = algebra.apply mul(%p, %d) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64, {{.*}}>
func.func @sddmm(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %C[%i, %k] : tensor<?x?xf64>
          %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %d) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

// The order of what a schedule has arranged stays, that of another definition in the function is chosen.
// CHECK-LABEL: func.func @one_is_scheduled
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["reorder"] {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK:      %z = concrete_index.compute (%{{.*}}) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i
// CHECK-NEXT:     concrete_index.forall %j
func.func @one_is_scheduled(%A: tensor<?x?xf64>, %x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["reorder"] {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  %z = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y, %z : tensor<?xf64>, tensor<?xf64>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 4 : dense, j floordiv 4 : compressed, i mod 4 : dense, j mod 4 : dense)>
// Rows of dense matrices at coordinates that are put together from blocks: the loop along them goes inside of both
// parts. In the other product such a coordinate goes along a row. The matrix is transposed, or if it is not, the place
// in a block goes inside.
// CHECK-LABEL: func.func @rows_of_blocks
// CHECK-NEXT: concrete_index.compute
// CHECK-NEXT:   concrete_index.forall %io {
// CHECK-NEXT:     concrete_index.forall %ko {
// CHECK-NEXT:       concrete_index.forall %ii {
// CHECK-NEXT:         concrete_index.forall %ki {
// CHECK-NEXT:           concrete_index.forall %j {
// CHECK:      concrete_index.compute
// CHECK-NEXT:   concrete_index.forall %io_1 {
// CHECK-NEXT:     concrete_index.forall %ko_1 {
// CHECK-NEXT:       concrete_index.forall %ii_1 {
// CHECK-NEXT:         concrete_index.forall %ki_1 {
// CHECK-NEXT:           concrete_index.forall %j_1 {
// ROWS-LABEL: func.func @rows_of_blocks
// ROWS:       concrete_index.forall %ii_1 {
// ROWS-NEXT:    concrete_index.forall %j_1 {
// ROWS-NEXT:      concrete_index.forall %ki_1 {
func.func @rows_of_blocks(%A: tensor<?x?xf64, #bcsr>, %D: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %R = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %io {
      concrete_index.forall %ii {
        concrete_index.forall %j {
          concrete_index.forall %ko {
            concrete_index.forall %ki {
              %size = arith.constant 4 : index
              %0 = arith.muli %io, %size : index
              %1 = arith.addi %0, %ii : index
              concrete_index.let %i = %1 {
                %2 = arith.muli %ko, %size : index
                %3 = arith.addi %2, %ki : index
                concrete_index.let %k = %3 {
                  %a = concrete_index.access %A[%io, %ko, %ii, %ki] : tensor<?x?xf64, #bcsr>
                  %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
                  %p = algebra.apply mul(%a, %d) : (f64, f64) -> f64
                  concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
                }
              }
            }
          }
        }
      }
    }
  }
  %S = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %io {
      concrete_index.forall %ii {
        concrete_index.forall %ko {
          concrete_index.forall %ki {
            concrete_index.forall %j {
              %size = arith.constant 4 : index
              %0 = arith.muli %io, %size : index
              %1 = arith.addi %0, %ii : index
              concrete_index.let %i = %1 {
                %2 = arith.muli %ko, %size : index
                %3 = arith.addi %2, %ki : index
                concrete_index.let %k = %3 {
                  %a = concrete_index.access %A[%io, %ko, %ii, %ki] : tensor<?x?xf64, #bcsr>
                  %d = concrete_index.access %D[%j, %k] : tensor<?x?xf64>
                  %p = algebra.apply mul(%a, %d) : (f64, f64) -> f64
                  concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
                }
              }
            }
          }
        }
      }
    }
  }
  func.return %R, %S : tensor<?x?xf64>, tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// H is read at the coordinates of A's entries, which are walked once: k goes inside, along a column of H.
// CHECK-LABEL: func.func @across
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %k {
// ROWS-LABEL: func.func @across
// ROWS:       concrete_index.forall %i {
// ROWS-NEXT:    concrete_index.forall %k {
// ROWS-NEXT:      concrete_index.forall %j {
func.func @across(%A: tensor<?x?xf64, #csr>, %H: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %R = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %h = concrete_index.access %H[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %h) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %R : tensor<?x?xf64>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// The columns of H are those of A: each is read once per entry, and the rows of the result say what goes inside.
// CHECK-LABEL: func.func @segments
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %k {
// ROWS-LABEL: func.func @segments
// ROWS:      concrete_index.forall %k {
func.func @segments(%A: tensor<?x?xf64, #csc>, %H: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %R = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csc>
          %h = concrete_index.access %H[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %h) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %R : tensor<?x?xf64>
}

// -----

// G asks for %a before %b, and T for %b before %a. Although %j and %a come before %b, T still asks for %k inside of it.
// CHECK-LABEL: func.func @crossed
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.forall %a {
// CHECK-NEXT:     concrete_index.forall %b {
// CHECK-NEXT:       concrete_index.forall %k {
func.func @crossed(%G: tensor<?x?xf64>, %T: tensor<?x?x?x?xf64>) -> tensor<?x?xf64> {
  %R = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %k {
        concrete_index.forall %a {
          concrete_index.forall %b {
            %g = concrete_index.access %G[%a, %b] : tensor<?x?xf64>
            %t = concrete_index.access %T[%b, %j, %a, %k] : tensor<?x?x?x?xf64>
            %p = algebra.apply mul(%g, %t) : (f64, f64) -> f64
            concrete_index.assign add %p into %out[%j, %k] : tensor<?x?xf64>
          }
        }
      }
    }
  }
  func.return %R : tensor<?x?xf64>
}

// -----

#columns = #storage.format<(i, j) -> (j : dense, i : bitmap)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
#rows = #storage.format<(i, j) -> (i : dense, j : bitmap)>
// Whether %B has an entry is asked of its columns: with i outside, there would be one of the result at each i and k.
// CHECK-LABEL: func.func @flags
// CHECK-NEXT: %A = concrete_index.compute
// CHECK-NEXT:   concrete_index.forall %k {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %i {
func.func @flags(%B: tensor<?x?xf64, #columns>, %C: tensor<?x?xf64, #csc>) -> tensor<?x?xf64, #rows> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #rows> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #columns>
          %c = concrete_index.access %C[%j, %k] : tensor<?x?xf64, #csc>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %k] : tensor<?x?xf64, #rows>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #rows>
}
