// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p scalarize-reductions | filecheck %s

// The innermost loop indexes the target.
// CHECK-LABEL: func.func @scatter
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       concrete_index.assign add %a into %out[%j] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @scatter(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// It is a scalar temporary already.
// CHECK-LABEL: func.func @temporary
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<f64> {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       %a = concrete_index.access %x[%i] : tensor<?xf64>
// CHECK-NEXT:       concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%u) {
// CHECK-NEXT:     %s = concrete_index.access %u[] : tensor<f64>
// CHECK-NEXT:     concrete_index.assign %s into %out[] : tensor<f64>
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<f64>
func.func @temporary(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.where produce (%t) : tensor<f64> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign add %a into %t[] : tensor<f64>
      }
    } consume (%u) {
      %s = concrete_index.access %u[] : tensor<f64>
      concrete_index.assign %s into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
// A coordinate list is visited by one loop over its entries, which a scalar per row would split (K5).
// CHECK-LABEL: func.func @coordinate_list
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:       concrete_index.assign add %a into %out[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @coordinate_list(%A: tensor<?x?xf64, #coo>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #coo>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Statements that combine with one vector by different operators keep their order.
// CHECK-LABEL: func.func @other_operator
// CHECK-NOT: concrete_index.where
func.func @other_operator(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        concrete_index.assign max %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
