// RUN: irtensor-opt %s --split-input-file -p hoist-producers | filecheck %s

// The producer depends on the innermost loop, and not on the one around it.
// CHECK-LABEL: func.func @innermost
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.where
func.func @innermost(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %o = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %x[%j, %k] : tensor<?x?xf64>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?x?xf64>
}

// -----

// A definition whose loops a schedule has arranged keeps them.
// CHECK-LABEL: func.func @scheduled
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where
func.func @scheduled(%x: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%out) : tensor<?xf64> scheduled ["reorder"] {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %k {
          %a = concrete_index.access %x[%k] : tensor<?xf64>
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%u) {
        %s = concrete_index.access %u[] : tensor<f64>
        concrete_index.assign %s into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %o : tensor<?xf64>
}
