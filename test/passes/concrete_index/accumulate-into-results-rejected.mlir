// RUN: irtensor-opt %s -p accumulate-into-results | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The sum is joined by another operator.
// CHECK-LABEL: func.func @operators
// CHECK: concrete_index.where
func.func @operators(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %j {
        concrete_index.forall %i {
          %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %t = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %t into %w[%i] : tensor<?xf64>
        }
      }
    } consume (%v) {
      concrete_index.forall %k {
        %s = concrete_index.access %v[%k] : tensor<?xf64>
        %c = concrete_index.access %z[%k] : tensor<?xf64>
        %r = algebra.apply mul(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// The order of sums is to be kept.
// CHECK-LABEL: func.func @order
// CHECK: concrete_index.where
func.func @order(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> attributes {algebra.keeps_order} {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %j {
        concrete_index.forall %i {
          %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %t = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %t into %w[%i] : tensor<?xf64>
        }
      }
    } consume (%v) {
      concrete_index.forall %k {
        %s = concrete_index.access %v[%k] : tensor<?xf64>
        %c = concrete_index.access %z[%k] : tensor<?xf64>
        %r = algebra.apply add(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// A schedule has asked for the workspace.
// CHECK-LABEL: func.func @asked
// CHECK: concrete_index.where
func.func @asked(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["precompute"] {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %j {
        concrete_index.forall %i {
          %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %t = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %t into %w[%i] : tensor<?xf64>
        }
      }
    } consume (%v) {
      concrete_index.forall %k {
        %s = concrete_index.access %v[%k] : tensor<?xf64>
        %c = concrete_index.access %z[%k] : tensor<?xf64>
        %r = algebra.apply add(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// The sum is needed twice.
// CHECK-LABEL: func.func @twice
// CHECK: concrete_index.where
func.func @twice(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %j {
        concrete_index.forall %i {
          %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %t = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %t into %w[%i] : tensor<?xf64>
        }
      }
    } consume (%v) {
      concrete_index.forall %k {
        %s = concrete_index.access %v[%k] : tensor<?xf64>
        %c = concrete_index.access %z[%k] : tensor<?xf64>
        %r = algebra.apply add(%s, %s) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// What is beside the sum is not stored everywhere.
// CHECK-LABEL: func.func @sparse
// CHECK: concrete_index.where
func.func @sparse(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64, #storage.format<(i) -> (i : compressed)>>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %j {
        concrete_index.forall %i {
          %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %t = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %t into %w[%i] : tensor<?xf64>
        }
      }
    } consume (%v) {
      concrete_index.forall %k {
        %s = concrete_index.access %v[%k] : tensor<?xf64>
        %c = concrete_index.access %z[%k] : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
        %r = algebra.apply add(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
