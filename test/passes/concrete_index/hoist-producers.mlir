// RUN: irtensor-opt %s --split-input-file -p hoist-producers | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The sum over a row of Y is computed once for a row of X, and what is read beside it in the loop goes inside.
// CHECK-LABEL: func.func @row
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK:        } consume (%u) {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK:            concrete_index.assign add %p into %out[%j]
func.func @row(%X: tensor<?x?xf64, #csr>, %Y: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %o = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #csr>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%x, %s) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// A sum of everything is computed before all loops.
// CHECK-LABEL: func.func @all
// CHECK:      concrete_index.compute
// CHECK-NEXT:   concrete_index.where produce
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK:        } consume
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       concrete_index.forall %j {
func.func @all(%x: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %o = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %y[%k] : tensor<?xf64>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %x[%i, %j] : tensor<?x?xf64>
          %p = algebra.apply div(%v, %s) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?x?xf64>
}

// -----

// Of two temporaries, the one that depends on the loop stays inside of it.
// CHECK-LABEL: func.func @one_of_two
// CHECK:      concrete_index.where produce (%s)
// CHECK:      } consume
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%r)
func.func @one_of_two(%x: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%s) : tensor<f64> {
        concrete_index.forall %k {
          %a = concrete_index.access %y[%k] : tensor<?xf64>
          concrete_index.assign add %a into %s[] : tensor<f64>
        }
      } consume (%u) {
        concrete_index.where produce (%r) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %x[%i, %k] : tensor<?x?xf64>
            concrete_index.assign add %a into %r[] : tensor<f64>
          }
        } consume (%w) {
          %1 = concrete_index.access %u[] : tensor<f64>
          %2 = concrete_index.access %w[] : tensor<f64>
          %p = algebra.apply div(%2, %1) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// Of two temporaries, the inner one leaves the consumer of the other one, which depends on the loop.
// CHECK-LABEL: func.func @inner_of_two
// CHECK:      concrete_index.compute
// CHECK-NEXT:   concrete_index.where produce (%s)
// CHECK:          concrete_index.access %y
// CHECK:        } consume
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       concrete_index.where produce (%r)
// CHECK:              concrete_index.access %x
// CHECK:            } consume
// CHECK:              concrete_index.assign %p into %out[%i]
func.func @inner_of_two(%x: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%r) : tensor<f64> {
        concrete_index.forall %k {
          %a = concrete_index.access %x[%i, %k] : tensor<?x?xf64>
          concrete_index.assign add %a into %r[] : tensor<f64>
        }
      } consume (%w) {
        concrete_index.where produce (%s) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %y[%k] : tensor<?xf64>
            concrete_index.assign add %a into %s[] : tensor<f64>
          }
        } consume (%u) {
          %1 = concrete_index.access %u[] : tensor<f64>
          %2 = concrete_index.access %w[] : tensor<f64>
          %p = algebra.apply div(%2, %1) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// Both leave the loop.
// CHECK-LABEL: func.func @both
// CHECK:      concrete_index.compute
// CHECK-NEXT:   concrete_index.where produce
// CHECK:        } consume
// CHECK-NEXT:     concrete_index.where produce
// CHECK:          } consume
// CHECK-NEXT:       concrete_index.forall %i {
// CHECK-NOT:          concrete_index.where
func.func @both(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%r) : tensor<f64> {
        concrete_index.forall %k {
          %a = concrete_index.access %x[%k] : tensor<?xf64>
          concrete_index.assign add %a into %r[] : tensor<f64>
        }
      } consume (%w) {
        concrete_index.where produce (%s) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %y[%k] : tensor<?xf64>
            concrete_index.assign add %a into %s[] : tensor<f64>
          }
        } consume (%u) {
          %1 = concrete_index.access %u[] : tensor<f64>
          %2 = concrete_index.access %w[] : tensor<f64>
          %3 = concrete_index.access %x[%i] : tensor<?xf64>
          %p = algebra.apply div(%2, %1) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %3) : (f64, f64) -> f64
          concrete_index.assign %q into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// What is computed from a temporary that stays inside of the loop stays there as well.
// CHECK-LABEL: func.func @from_one_that_stays
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%r)
// CHECK:        } consume
// CHECK-NEXT:     concrete_index.where produce (%s)
func.func @from_one_that_stays(%x: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%r) : tensor<f64> {
        concrete_index.forall %k {
          %a = concrete_index.access %x[%i, %k] : tensor<?x?xf64>
          concrete_index.assign add %a into %r[] : tensor<f64>
        }
      } consume (%w) {
        concrete_index.where produce (%s) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %y[%k] : tensor<?xf64>
            %1 = concrete_index.access %w[] : tensor<f64>
            %p = algebra.apply mul(%a, %1) : (f64, f64) -> f64
            concrete_index.assign add %p into %s[] : tensor<f64>
          }
        } consume (%u) {
          %2 = concrete_index.access %u[] : tensor<f64>
          concrete_index.assign %2 into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// One that depends on the loop does not keep another inside, be that computed beside it or for it.
// CHECK-LABEL: func.func @beside_and_for
// CHECK:      concrete_index.where produce (%s)
// CHECK:      } consume (%s_1) {
// CHECK-NEXT:   concrete_index.where produce (%u)
// CHECK:        } consume (%u_1) {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       concrete_index.where produce (%r)
// CHECK-NEXT:         concrete_index.forall %k
func.func @beside_and_for(%x: tensor<?x?xf64>, %y: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%r) : tensor<f64> {
        concrete_index.where produce (%u) : tensor<f64> {
          concrete_index.forall %l {
            %a = concrete_index.access %z[%l] : tensor<?xf64>
            concrete_index.assign add %a into %u[] : tensor<f64>
          }
        } consume (%u_1) {
          concrete_index.forall %k {
            %a = concrete_index.access %x[%i, %k] : tensor<?x?xf64>
            %b = concrete_index.access %u_1[] : tensor<f64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %r[] : tensor<f64>
          }
        }
      } consume (%w) {
        concrete_index.where produce (%s) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %y[%k] : tensor<?xf64>
            concrete_index.assign add %a into %s[] : tensor<f64>
          }
        } consume (%s_1) {
          %1 = concrete_index.access %s_1[] : tensor<f64>
          %2 = concrete_index.access %w[] : tensor<f64>
          %p = algebra.apply div(%2, %1) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// -----

// A coordinate that is computed from another loop stays inside of that one, on the side that uses it.
// CHECK-LABEL: func.func @named
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.where produce (%t)
// CHECK-NEXT:     arith.addi %j, %c1
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.let %d
// CHECK:        } consume (%u) {
// CHECK-NEXT:     concrete_index.forall %f {
func.func @named(%x: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %c1 = arith.constant 1 : index
  %o = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %f {
        %n = arith.addi %j, %c1 : index
        concrete_index.let %d = %n {
          concrete_index.where produce (%t) : tensor<f64> {
            concrete_index.forall %k {
              %a = concrete_index.access %x[%d, %k] : tensor<?x?xf64>
              concrete_index.assign add %a into %t[] : tensor<f64>
            }
          } consume (%u) {
            %b = concrete_index.access %u[] : tensor<f64>
            %c = concrete_index.access %y[%f] : tensor<?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            concrete_index.assign %p into %out[%j, %f] : tensor<?x?xf64>
          }
        }
      }
    }
  }
  func.return %o : tensor<?x?xf64>
}
