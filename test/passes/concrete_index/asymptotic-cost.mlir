// RUN: irtensor-opt %s -p asymptotic-cost | filecheck %s
// RUN: irtensor-opt %s -p asymptotic-cost,concrete-index-to-loop | filecheck %s --check-prefix=LOOP

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
#hashed = #storage.format<(i) -> (i : hashed)>
#row = #storage.format<(i) -> (i : accumulator)>

// The text is for people: nothing of it is left below.
// LOOP-NOT: tasks

// Row by row: what B stores below each entry of A. Loops over the columns are for all k at once.
// CHECK-LABEL: func.func @gustavson
func.func @gustavson(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    // CHECK: concrete_index.forall %i attributes {tasks = "{i}"} {
    concrete_index.forall %i {
      // CHECK: concrete_index.forall %k attributes {tasks = "{ik | A_ik}"} {
      concrete_index.forall %k {
        // CHECK: concrete_index.forall %j attributes {tasks = "{ijk | A_ik, B_kj}"} {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// A row is collected, and has an entry where some k has one in both; what asks for it is only there where D has one.
// CHECK-LABEL: func.func @masked
func.func @masked(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %D: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    // CHECK: concrete_index.forall %i attributes {tasks = "{i}"} {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #row> {
        // CHECK: concrete_index.forall %k attributes {tasks = "{ik | A_ik}"} {
        concrete_index.forall %k {
          // CHECK: concrete_index.forall %j attributes {tasks = "{ijk | A_ik, B_kj}"} {
          concrete_index.forall %j {
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %w[%j] : tensor<?xf64, #row>
          }
        }
      } consume (%v) {
        // CHECK: concrete_index.forall %l attributes {tasks = "{il | D_il} U {il | exists k A_ik, B_kl}"} {
        concrete_index.forall %l {
          %s = concrete_index.access %v[step %l] : tensor<?xf64, #row>
          %d = concrete_index.access %D[locate %i, step %l] : tensor<?x?xf64, #csr>
          %q = algebra.apply mul(%s, %d) : (f64, f64) -> f64
          concrete_index.assign %q into %out[append %i, append %l] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// Where nothing leads, all coordinates are looked up.
// CHECK-LABEL: func.func @located
func.func @located(%x: tensor<?xf64, #hashed>) -> tensor<f64> {
  %s = concrete_index.compute (%out) : tensor<f64> {
    // CHECK: concrete_index.forall %i attributes {tasks = "{i}"} {
    concrete_index.forall %i {
      %a = concrete_index.access %x[locate %i] : tensor<?xf64, #hashed>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// CHECK-LABEL: func.func @stepped
func.func @stepped(%x: tensor<?xf64, #hashed>) -> tensor<f64> {
  %s = concrete_index.compute (%out) : tensor<f64> {
    // CHECK: concrete_index.forall %i attributes {tasks = "{i | x_i}"} {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64, #hashed>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// A name for a coordinate that is bound already.
// CHECK-LABEL: func.func @renamed
func.func @renamed(%x: tensor<?xf64, #hashed>) -> tensor<?xf64> {
  %s = concrete_index.compute (%out) : tensor<?xf64> {
    // CHECK: concrete_index.forall %i attributes {tasks = "{i}"} {
    concrete_index.forall %i {
      concrete_index.let %k = %i {
        %a = concrete_index.access %x[%k] : tensor<?xf64, #hashed>
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %s : tensor<?xf64>
}

// Operators that users declare: entries that are absent are skipped where something annihilates.
algebra.operator @both(%a: f64, %b: f64) -> f64 attributes {commutative, associative, annihilator = 0.0 : f64} {
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}
algebra.operator @times(%a: f64, %b: f64) -> f64 attributes {commutative, associative} {
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}
algebra.operator @larger(%a: f64, %b: f64) -> f64 attributes {commutative, associative} {
  %p = algebra.apply max(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}

// CHECK-LABEL: func.func @annihilated(
func.func @annihilated(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // CHECK: concrete_index.forall %j attributes {tasks = "{ij | A_ij}"} {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply @both(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @annihilated_by_its_body
func.func @annihilated_by_its_body(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // CHECK: concrete_index.forall %j attributes {tasks = "{ij | A_ij}"} {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply @times(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @computed_everywhere
func.func @computed_everywhere(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // CHECK: concrete_index.forall %j attributes {tasks = "{ij}"} {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply @larger(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// Two statements in one loop: it goes where either stores something.
// CHECK-LABEL: func.func @one_loop
func.func @one_loop(%x: tensor<?xf64, #list>, %y: tensor<?xf64, #list>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %s = concrete_index.compute (%out) : tensor<?xf64> {
    // CHECK: concrete_index.forall %i attributes {tasks = "{i | x_i} U {i | y_i}"} {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64, #list>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
      %b = concrete_index.access %y[%i] : tensor<?xf64, #list>
      %c = concrete_index.access %z[%i] : tensor<?xf64>
      %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
      concrete_index.assign add %p into %out[%i] : tensor<?xf64>
    }
  }
  func.return %s : tensor<?xf64>
}

// Lists are added up one after the other, and then there is an entry where any of them has one.
// CHECK-LABEL: func.func @one_after_the_other
func.func @one_after_the_other(%x: tensor<?x?xf64, #csr>, %y: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %s = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    // CHECK: concrete_index.forall %i attributes {tasks = "{i}"} {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #row> {
        // CHECK: concrete_index.forall %j attributes {tasks = "{ij | x_ij}"} {
        concrete_index.forall %j {
          %a = concrete_index.access %x[%i, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign %a into %w[%j] : tensor<?xf64, #row>
        }
        // CHECK: concrete_index.forall %k attributes {tasks = "{ik | y_ik}"} {
        concrete_index.forall %k {
          %b = concrete_index.access %y[%i, %k] : tensor<?x?xf64, #csr>
          concrete_index.assign add %b into %w[%k] : tensor<?xf64, #row>
        }
      } consume (%v) {
        // CHECK: concrete_index.forall %l attributes {tasks = "{il | x_il} U {il | y_il}"} {
        concrete_index.forall %l {
          %c = concrete_index.access %v[%l] : tensor<?xf64, #row>
          concrete_index.assign %c into %out[%i, %l] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %s : tensor<?x?xf64, #csr>
}
