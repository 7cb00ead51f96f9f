// RUN: irtensor-opt %s --split-input-file -p scalarize-reductions | filecheck %s

// All of the innermost loops that do not index the target accumulate in one scalar.
// CHECK-LABEL: func.func @row_sums
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         concrete_index.forall %k {
// CHECK-NEXT:           %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
// CHECK-NEXT:           concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%t_1) {
// CHECK-NEXT:       %{{.*}} = concrete_index.access %t_1[] : tensor<f64>
// CHECK-NEXT:       concrete_index.assign %{{.*}} into %out[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @row_sums(%A: tensor<?x?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
          concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A reduction outside remains one: the scalar is combined with what the component holds.
// CHECK-LABEL: func.func @partial
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:         concrete_index.forall %k {
// CHECK-NEXT:           %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
// CHECK-NEXT:           concrete_index.assign max %a into %t[] : tensor<f64>
// CHECK-NEXT:         }
// CHECK-NEXT:       } consume (%t_1) {
// CHECK-NEXT:         %{{.*}} = concrete_index.access %t_1[] : tensor<f64>
// CHECK-NEXT:         concrete_index.assign max %{{.*}} into %out[%i] : tensor<?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @partial(%A: tensor<?x?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
          concrete_index.assign max %a into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A let between the loops and the assignment goes with them; one that binds an index of the target stays around.
// CHECK-LABEL: func.func @lets
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.let %k = %i {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         concrete_index.let %m = %j {
// CHECK-NEXT:           %a = concrete_index.access %A[%i, %m]
// CHECK-NEXT:           concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK:          } consume (%t_1) {
// CHECK:            concrete_index.assign add %{{.*}} into %out[%k] : tensor<?xf64>
func.func @lets(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.let %k = %i {
        concrete_index.forall %j {
          concrete_index.let %m = %j {
            %a = concrete_index.access %A[%i, %m] : tensor<?x?xf64>
            concrete_index.assign add %a into %out[%k] : tensor<?xf64>
          }
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Two statements of a loop add to one vector, in different components: the sum for %i is a scalar, the other one stays.
// CHECK-LABEL: func.func @both_components
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j]
// CHECK-NEXT:       concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK-NEXT:       %c = algebra.apply ne(%i, %j) : (index, index) -> i1
// CHECK-NEXT:       concrete_index.if %c {
// CHECK-NEXT:         concrete_index.assign add %a into %out[%j] : tensor<?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%t_1) {
// CHECK-NEXT:     [[S:%[a-z0-9_]+]] = concrete_index.access %t_1[] : tensor<f64>
// CHECK-NEXT:     concrete_index.assign add [[S]] into %out[%i] : tensor<?xf64>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @both_components(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        %c = algebra.apply ne(%i, %j) : (index, index) -> i1
        concrete_index.if %c {
          concrete_index.assign add %a into %out[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// The same where the sum is under the condition, and where both statements are of one number.
// CHECK-LABEL: func.func @under_a_condition
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j]
// CHECK-NEXT:       concrete_index.assign add %a into %out[%i] : tensor<?xf64>
// CHECK-NEXT:       %c = algebra.apply ne(%i, %j) : (index, index) -> i1
// CHECK-NEXT:       concrete_index.if %c {
// CHECK-NEXT:         concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%t_1) {
// CHECK:      concrete_index.where produce (%t_2) : tensor<f64> {
// CHECK:            concrete_index.assign add %b into %t_2[] : tensor<f64>
// CHECK-NEXT:       %d = algebra.apply ne(%k, %l) : (index, index) -> i1
// CHECK-NEXT:       concrete_index.if %d {
// CHECK-NEXT:         concrete_index.assign add %b into %t_2[] : tensor<f64>
func.func @under_a_condition(%A: tensor<?x?xf64, #csc>) -> (tensor<?xf64>, tensor<f64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csc>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        %c = algebra.apply ne(%i, %j) : (index, index) -> i1
        concrete_index.if %c {
          concrete_index.assign add %a into %out[%j] : tensor<?xf64>
        }
      }
    }
  }
  %z = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %l {
      concrete_index.forall %k {
        %b = concrete_index.access %A[%k, %l] : tensor<?x?xf64, #csc>
        concrete_index.assign add %b into %out[] : tensor<f64>
        %d = algebra.apply ne(%k, %l) : (index, index) -> i1
        concrete_index.if %d {
          concrete_index.assign add %b into %out[] : tensor<f64>
        }
      }
    }
  }
  func.return %y, %z : tensor<?xf64>, tensor<f64>
}
