// RUN: irtensor-opt %s --split-input-file -p choose-loop-order | filecheck %s

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// A sparse operand is traversed in the order of its levels.
// CHECK-LABEL: func.func @columns
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:       concrete_index.assign add %a into %out[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @columns(%A: tensor<?x?xf64, #csc>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csc>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Row times row: k before j, because C is stored by rows.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:         %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:         %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64>
func.func @rows(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

// Dense operands only ask for their order: here both are dense, and row-major order of B and C gives i, k, j.
// CHECK-LABEL: func.func @dense
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
// CHECK-NEXT:         %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
// CHECK-NEXT:         %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64>
func.func @dense(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// SDDMM: an appended result keeps the reduction inside, although row-major D would rather have k before j (pitfall P6).
// CHECK-LABEL: func.func @sddmm
// CHECK-NEXT: %A = concrete_index.compute (%out) : tensor<?x?xf64, {{.*}}> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK-NEXT:         %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:         %c = concrete_index.access %C[%i, %k] : tensor<?x?xf64>
// CHECK-NEXT:         %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
// CHECK-NEXT:         %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
// CHECK-NEXT:         %q = algebra.apply mul(%p, %d) : (f64, f64) -> f64
// CHECK-NEXT:         concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : tensor<?x?xf64, {{.*}}>
func.func @sddmm(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %C[%i, %k] : tensor<?x?xf64>
          %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %d) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

// The order of what a schedule has arranged stays, that of another definition in the function is chosen.
// CHECK-LABEL: func.func @one_is_scheduled
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["reorder"] {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK:      %z = concrete_index.compute (%{{.*}}) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i
// CHECK-NEXT:     concrete_index.forall %j
func.func @one_is_scheduled(%A: tensor<?x?xf64>, %x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["reorder"] {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  %z = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y, %z : tensor<?xf64>, tensor<?xf64>
}
