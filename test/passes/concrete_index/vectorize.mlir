// RUN: irtensor-opt %s --split-input-file -p 'vectorize{variable=j width=8}' | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The innermost loop, of which all accesses are dense.
// CHECK-LABEL: @spmm
// CHECK:      concrete_index.forall %k {
// CHECK-NEXT:   concrete_index.forall %j attributes {vectorize = 8 : i64} {
func.func @spmm(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The entries of a row, which are summed.
// CHECK-LABEL: @row
// CHECK:      concrete_index.forall %j attributes {vectorize = 8 : i64} {
func.func @row(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A loop of four iterations is written out, so that the one around it is the innermost.
// CHECK-LABEL: @short
// CHECK:      concrete_index.forall %j attributes {vectorize = 8 : i64} {
// CHECK-NEXT:   concrete_index.forall %k from {{.*}} attributes {unroll = 4 : i64} {
func.func @short(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %c0 = arith.constant 0 : index
    %n = concrete_index.extent %A, 1 : tensor<?x?xf64>
    %four = concrete_index.bound %n exact 4
    concrete_index.forall %j {
      concrete_index.forall %k from %c0 to %four {
        %a = concrete_index.access %A[%j, %k] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Any number of iterations is done for all of a block.
// CHECK-LABEL: @long
// CHECK:      concrete_index.forall %j_blocks from
// CHECK-NEXT:   concrete_index.forall %k {
// CHECK:          concrete_index.forall %j from %lo to %hi attributes {vectorize = 8 : i64} {
// CHECK-NEXT:       concrete_index.access %A[%j, %k]
// CHECK-NEXT:       concrete_index.assign add {{.*}}[%j]
func.func @long(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %k {
        %a = concrete_index.access %A[%j, %k] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A loop over places in blocks: the coordinate at a place follows the loops that say which.
// CHECK-LABEL: @places
// CHECK:      concrete_index.forall %j_blocks
// CHECK-NEXT:   concrete_index.forall %j0
// CHECK:          concrete_index.forall %j from {{.*}} attributes {vectorize = 8 : i64} {
// CHECK:            concrete_index.forall %j1 from {{.*}} attributes {follows} {
// CHECK-NEXT:         concrete_index.access %A[%j1]
func.func @places(%A: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %n = concrete_index.extent %A, 0 : tensor<?xf64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %size = arith.constant 16 : index
    concrete_index.forall %j from %c0 to %size {
      concrete_index.forall %j0 from %c0 to %n {
        %first = arith.muli %j0, %size : index
        %at = arith.addi %first, %j : index
        %lo = arith.minsi %n, %at : index
        %next = arith.addi %at, %c1 : index
        %hi = arith.minsi %n, %next : index
        concrete_index.forall %j1 from %lo to %hi attributes {follows} {
          %a = concrete_index.access %A[%j1] : tensor<?xf64>
          concrete_index.assign %a into %out[%j1] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Each iteration appends an entry. Where some do not, that is refused once it is known.
// CHECK-LABEL: @appended
// CHECK:      concrete_index.forall %j attributes {vectorize = 8 : i64} {
func.func @appended(%B: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %b into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// Entries are apart in the dense result: no two of them have the same coordinate.
// CHECK-LABEL: @scattered
// CHECK:      concrete_index.forall %j attributes {vectorize = 8 : i64} {
func.func @scattered(%A: tensor<?x?xf64, #csc>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csc>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The loop along a list goes inside of the others as a whole: blocks of it would have to be searched.
// CHECK-LABEL: @inside
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j attributes {vectorize = 8 : i64} {
func.func @inside(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
