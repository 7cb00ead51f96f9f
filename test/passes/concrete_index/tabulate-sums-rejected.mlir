// Loops that stay one version.
// RUN: irtensor-opt %s --split-input-file -p tabulate-sums | filecheck %s

// The sum is another one in each iteration of both loops.
// CHECK-LABEL: func.func @depends_on_both
// CHECK-NOT: concrete_index.if
func.func @depends_on_both(%X: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>, %Z: tensor<?x?x?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Z[%j, %i, %k] : tensor<?x?x?xf64>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// Where rows of Y are listed as well, how many entries both have is not known.
// CHECK-LABEL: func.func @two_operands
// CHECK-NOT: concrete_index.if
func.func @two_operands(%X: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// A row of Y without entries may have no sum, and no entry in a result that is appended to.
// CHECK-LABEL: func.func @appended
// CHECK-NOT: concrete_index.if
func.func @appended(%X: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64, #storage.format<compressed>> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64, #storage.format<compressed>> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64, #storage.format<compressed>>
        }
      }
    }
  }
  func.return %o : tensor<?xf64, #storage.format<compressed>>
}

// -----

// A schedule has arranged the loops.
// CHECK-LABEL: func.func @scheduled
// CHECK-NOT: concrete_index.if
func.func @scheduled(%X: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> scheduled ["reorder"] {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// Entries of hash tables have no numbers.
// CHECK-LABEL: func.func @hashed
// CHECK-NOT: concrete_index.if
func.func @hashed(%X: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : hashed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : hashed)>>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// The loop that determines the sum is outermost: the sum can stand outside of the other one (hoist-producers).
// CHECK-LABEL: func.func @outermost
// CHECK-NOT: concrete_index.if
func.func @outermost(%X: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}
