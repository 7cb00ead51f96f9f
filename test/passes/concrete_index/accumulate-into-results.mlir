// RUN: irtensor-opt %s -p accumulate-into-results | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The result starts from z, and takes the terms without a workspace.
// CHECK-LABEL: func.func @sum
// CHECK-NOT:    concrete_index.where
// CHECK:        concrete_index.forall %k {
// CHECK-NEXT:     %c = concrete_index.access %z[%k]
// CHECK-NEXT:     concrete_index.assign %c into %out[%k]
// CHECK:        concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK:            concrete_index.assign add %t into %out[%i]
func.func @sum(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
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

// Terms are subtracted as what they are the negative of.
// CHECK-LABEL: func.func @minus
// CHECK:        concrete_index.assign %c into %out[%k]
// CHECK:        [[MINUS:%[0-9]+]] = algebra.apply neg(%t) : (f64) -> f64
// CHECK-NEXT:   concrete_index.assign add [[MINUS]] into %out[%i]
func.func @minus(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
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
        %r = algebra.apply sub(%c, %s) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @less
// CHECK:        [[LESS:%[0-9]+]] = algebra.apply neg(%c) : (f64) -> f64
// CHECK-NEXT:   concrete_index.assign [[LESS]] into %out[%k]
// CHECK:        concrete_index.assign add %t into %out[%i]
func.func @less(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
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
        %r = algebra.apply sub(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @maximum
// CHECK:        concrete_index.assign max %t into %out[%i]
func.func @maximum(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %j {
        concrete_index.forall %i {
          %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %t = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign max %t into %w[%i] : tensor<?xf64>
        }
      }
    } consume (%v) {
      concrete_index.forall %k {
        %s = concrete_index.access %v[%k] : tensor<?xf64>
        %c = concrete_index.access %z[%k] : tensor<?xf64>
        %r = algebra.apply max(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %r into %out[%k] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
