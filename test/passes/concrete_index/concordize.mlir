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

// -----

!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// A list is walked: the coordinate above it, put together from block and place, is bound outside of its loop. What has
// both levels dense reads them in any order.
// CHECK-LABEL: func.func @below_a_block
// CHECK:      concrete_index.forall %ki {
// CHECK:        %c = arith.addi %start, %ki : index
// CHECK-NEXT:   concrete_index.let %k = %c {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %b = concrete_index.access %B[%k, %j]
// CHECK:            concrete_index.assign {{.*}} into %out[%j]
func.func @below_a_block(%B: !rows, %x: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %ko { concrete_index.forall %ki { concrete_index.forall %j {
      %size = arith.constant 2 : index
      %start = arith.muli %ko, %size : index
      %c = arith.addi %start, %ki : index
      concrete_index.let %k = %c {
        %b = concrete_index.access %B[%k, %j] : !rows
        %d = concrete_index.access %x[%ko, %ki] : tensor<?x?xf64>
        %p = algebra.apply mul(%b, %d) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%j] : tensor<?xf64>
      }
    } } }
  }
  func.return %y : tensor<?xf64>
}

// -----

!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// A coordinate that is computed from the variable of a loop stays inside of it.
// CHECK-LABEL: func.func @from_the_loop
// CHECK:      concrete_index.let %k = %c {
// CHECK-NEXT:   concrete_index.let %j_1 = %j {
// CHECK-NEXT:     %b = concrete_index.access %B[%k, %j_1]
func.func @from_the_loop(%B: !rows) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %c = arith.addi %i, %j : index
      concrete_index.let %k = %c {
        %b = concrete_index.access %B[%k, %j] : !rows
        concrete_index.assign add %b into %out[%j] : tensor<?xf64>
      }
    } }
  }
  func.return %y : tensor<?xf64>
}
