// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="b[i]" variables=i reuse=true}' | filecheck %s

// A dense result is its own workspace: the first sum is stored, the second added to it.
// CHECK-LABEL: func.func @dense
// CHECK-NEXT: %a = concrete_index.compute (%out)
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     %x = concrete_index.access %b[%i]
// CHECK-NEXT:     concrete_index.assign %x into %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   concrete_index.forall %i_1 {
// CHECK-NEXT:     %y = concrete_index.access %c[%i_1]
// CHECK-NEXT:     concrete_index.assign add %y into %out[%i_1]
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @dense(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %y = concrete_index.access %c[%i] : tensor<?xf64>
      %s = algebra.apply add(%y, %x) : (f64, f64) -> f64
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %a : tensor<?xf64>
}

// -----

// A workspace can be reused as well, and the operator need not be a sum.
// CHECK-LABEL: func.func @workspace
// CHECK-NEXT: %a = concrete_index.compute (%out)
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       %x = concrete_index.access %b[%i]
// CHECK-NEXT:       concrete_index.assign %x into %w[%i]
// CHECK-NEXT:     }
// CHECK-NEXT:     concrete_index.forall %i_1 {
// CHECK-NEXT:       %y = concrete_index.access %c[%i_1]
// CHECK-NEXT:       concrete_index.assign max %y into %w[%i_1]
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%v) {
// CHECK-NEXT:     concrete_index.forall %i_2 {
// CHECK-NEXT:       %z = concrete_index.access %v[%i_2]
// CHECK-NEXT:       concrete_index.assign %z into %out[%i_2]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @workspace(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %i {
        %x = concrete_index.access %b[%i] : tensor<?xf64>
        %y = concrete_index.access %c[%i] : tensor<?xf64>
        %s = algebra.apply max(%x, %y) : (f64, f64) -> f64
        concrete_index.assign %s into %w[%i] : tensor<?xf64>
      }
    } consume (%v) {
      concrete_index.forall %i {
        %z = concrete_index.access %v[%i] : tensor<?xf64>
        concrete_index.assign %z into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %a : tensor<?xf64>
}
