// Functions that stay where they are.
// RUN: irtensor-opt %s --split-input-file -p tabulate-functions | filecheck %s

// A product takes no longer than an element is read.
// CHECK-LABEL: func.func @quick
// CHECK-NOT: produce (%v)
func.func @quick(%X: tensor<?x?xf64>, %y: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
        %a = concrete_index.access %y[%j] : tensor<?xf64>
        %b = concrete_index.access %z[%j] : tensor<?xf64>
        %c = algebra.constant 2.000000e+00 : f64
        %p = algebra.apply pow(%b, %c) : (f64, f64) -> f64
        %d = algebra.apply mul(%a, %p) : (f64, f64) -> f64
        %q = algebra.apply mul(%x, %d) : (f64, f64) -> f64
        concrete_index.assign %q into %Z_1[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %Z : tensor<?x?xf64>
}

// -----

// The loop that determines the function is outermost: hoist-invariants takes it out of the other one.
// CHECK-LABEL: func.func @outermost
// CHECK-NOT: produce (%v)
func.func @outermost(%X: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
        %a = concrete_index.access %y[%i] : tensor<?xf64>
        %e = algebra.apply exp(%a) : (f64) -> f64
        %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
        concrete_index.assign %q into %Z_1[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %Z : tensor<?x?xf64>
}

// -----

// Each row has entries at some columns only.
// CHECK-LABEL: func.func @entries
// CHECK-NOT: produce (%v)
func.func @entries(%X: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
        %a = concrete_index.access %y[%j] : tensor<?xf64>
        %e = algebra.apply exp(%a) : (f64) -> f64
        %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
        concrete_index.assign %q into %Z_1[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %Z : tensor<?x?xf64>
}

// -----

// The workspace is another one in each row.
// CHECK-LABEL: func.func @workspace_of_a_row
// CHECK-NOT: produce (%v)
func.func @workspace_of_a_row(%X: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64> {
        concrete_index.forall %j {
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
          concrete_index.assign %x into %w[%j] : tensor<?xf64>
        }
      } consume (%u) {
        concrete_index.forall %j {
          %a = concrete_index.access %u[%j] : tensor<?xf64>
          %e = algebra.apply exp(%a) : (f64) -> f64
          concrete_index.assign %e into %Z_1[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %Z : tensor<?x?xf64>
}

// -----

// Two variables determine the function.
// CHECK-LABEL: func.func @matrix
// CHECK-NOT: produce (%v)
func.func @matrix(%X: tensor<?x?x?xf64>, %y: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?x?x?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?x?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %x = concrete_index.access %X[%i, %j, %k] : tensor<?x?x?xf64>
          %a = concrete_index.access %y[%j] : tensor<?xf64>
          %b = concrete_index.access %z[%k] : tensor<?xf64>
          %d = algebra.apply div(%a, %b) : (f64, f64) -> f64
          %q = algebra.apply mul(%x, %d) : (f64, f64) -> f64
          concrete_index.assign %q into %Z_1[%i, %j, %k] : tensor<?x?x?xf64>
        }
      }
    }
  }
  func.return %Z : tensor<?x?x?xf64>
}

// -----

// A schedule has arranged the loops.
// CHECK-LABEL: func.func @scheduled
// CHECK-NOT: produce (%v)
func.func @scheduled(%X: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?x?xf64> scheduled ["reorder"] {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
        %a = concrete_index.access %y[%j] : tensor<?xf64>
        %e = algebra.apply exp(%a) : (f64) -> f64
        %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
        concrete_index.assign %q into %Z_1[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %Z : tensor<?x?xf64>
}
