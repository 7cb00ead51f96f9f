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
