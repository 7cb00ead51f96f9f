// RUN: irtensor-opt %s --split-input-file -p concordize | filecheck %s

// D is stored by k, then j, but j is bound first: j is bound again inside the loop over k.
// CHECK-LABEL: func.func @transposed
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64> {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.let %j_1 = %j {
// CHECK-NEXT:         %d = concrete_index.access %D[%k, %j_1] : tensor<?x?xf64>
// CHECK-NEXT:         concrete_index.assign %d into %out[%j, %k] : tensor<?x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64>
func.func @transposed(%D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %k {
        %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
        concrete_index.assign %d into %out[%j, %k] : tensor<?x?xf64>
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// On a diagonal the second level finds its variable bound by the first.
// CHECK-LABEL: func.func @diagonal
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.let %i_1 = %i {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %i_1] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:       concrete_index.assign %a into %out[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @diagonal(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %A[%i, %i] : tensor<?x?xf64, #csr>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csf = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
// What is counted below two levels goes through them in their order as well.
// CHECK-LABEL: func.func @counted
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.let %j_1 = %j {
// CHECK-NEXT:       %n = concrete_index.entry_count %T[%i, %j_1] levels 1
// CHECK-NEXT:       concrete_index.forall %k from %zero to %n {
func.func @counted(%T: tensor<?x?x?xf64, #csf>, %B: tensor<?x?x?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%out) : tensor<f64> {
    %zero = arith.constant 0 : index
    concrete_index.forall %j {
      concrete_index.forall %i {
        %n = concrete_index.entry_count %T[%i, %j] levels 1 : tensor<?x?x?xf64, #csf>
        concrete_index.forall %k from %zero to %n {
          %b = concrete_index.access %B[%i, %j, %k] : tensor<?x?x?xf64>
          concrete_index.assign add %b into %out[] : tensor<f64>
        }
      }
    }
  }
  func.return %s : tensor<f64>
}
