// RUN: irtensor-opt %s --split-input-file -p scalarize-reductions | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p keep-order-of-sums,scalarize-reductions | filecheck %s --check-prefix=STRICT

// A scalar that is the whole sum takes its terms in their order; one for a part of it does not.
// CHECK-LABEL: func.func @whole
// CHECK: concrete_index.where produce (%t) : tensor<f64>
// STRICT-LABEL: func.func @whole
// STRICT: concrete_index.where produce (%t) : tensor<f64>
func.func @whole(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-LABEL: func.func @part
// CHECK: concrete_index.where produce (%t) : tensor<f64>
// STRICT-LABEL: func.func @part
// STRICT-NOT: concrete_index.where
// STRICT: concrete_index.assign add %a into %out[%i] : tensor<?xf64>
func.func @part(%A: tensor<?x?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %k {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%k, %i, %j] : tensor<?x?x?xf64>
          concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Whole numbers are the same in any order.
// CHECK-LABEL: func.func @integers
// CHECK: concrete_index.where produce (%t) : tensor<i32>
// STRICT-LABEL: func.func @integers
// STRICT: concrete_index.where produce (%t) : tensor<i32>
func.func @integers(%A: tensor<?x?x?xi32>) -> tensor<?xi32> {
  %y = concrete_index.compute (%out) : tensor<?xi32> {
    concrete_index.forall %k {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%k, %i, %j] : tensor<?x?x?xi32>
          concrete_index.assign add %a into %out[%i] : tensor<?xi32>
        }
      }
    }
  }
  func.return %y : tensor<?xi32>
}
