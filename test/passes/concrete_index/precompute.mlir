// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="B[i,k] * C[k,j]" variables=j}' | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="B[i,k] * C[k,j]" variables=j format=bitmap}' | filecheck %s --check-prefix=BITMAP
// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="B[i,k] * C[k,j]" variables=j format=hashed}' | filecheck %s --check-prefix=HASHED

// What keeps a record of what is stored takes the place of what does not.
// BITMAP-LABEL: func.func @spgemm
// BITMAP: produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
// HASHED-LABEL: func.func @spgemm
// HASHED: produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : map)>>

// Gustavson's product of sparse matrices: the workspace keeps a set of what a row has. The arguments of the product may
// be written in either order.
// CHECK-LABEL: func.func @spgemm
// CHECK-NEXT: %A = concrete_index.compute (%out)
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK-NEXT:         concrete_index.forall %j {
// CHECK-NEXT:           %c = concrete_index.access %C[%k, %j]
// CHECK-NEXT:           %b = concrete_index.access %B[%i, %k]
// CHECK-NEXT:           %p = algebra.apply mul(%c, %b)
// CHECK-NEXT:           concrete_index.assign add %p into %w[%j]
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%w_1) {
// CHECK-NEXT:       concrete_index.forall %j_1 {
// CHECK-NEXT:         %0 = concrete_index.access %w_1[%j_1]
// CHECK-NEXT:         concrete_index.assign %0 into %out[%i, %j_1]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @spgemm(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%c, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

// The conversion to the result's type belongs to the expression, so that the workspace sums in f64.
// CHECK-LABEL: func.func @converted
// CHECK-NEXT: %y = concrete_index.compute (%out)
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         concrete_index.forall %k {
// CHECK-NEXT:           %b = concrete_index.access %B[%i, %k]
// CHECK-NEXT:           %c = concrete_index.access %C[%k, %j]
// CHECK-NEXT:           %p = algebra.apply mul(%b, %c)
// CHECK-NEXT:           %wide = algebra.cast %p : f32 to f64
// CHECK-NEXT:           concrete_index.assign add %wide into %w[%j]
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%w_1) {
// CHECK-NEXT:       concrete_index.forall %j_1 {
// CHECK-NEXT:         %0 = concrete_index.access %w_1[%j_1]
// CHECK-NEXT:         %e = concrete_index.access %d[%j_1]
// CHECK-NEXT:         %q = algebra.apply mul(%0, %e)
// CHECK-NEXT:         concrete_index.assign add %q into %out[%i]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @converted(%B: tensor<?x?xf32>, %C: tensor<?x?xf32>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf32>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf32>
          %p = algebra.apply mul(%b, %c) : (f32, f32) -> f32
          %wide = algebra.cast %p : f32 to f64
          %e = concrete_index.access %d[%j] : tensor<?xf64>
          %q = algebra.apply mul(%wide, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// The workspace is produced where the expression stands: in the producer of another temporary, whose loop over k it needs
// too, so that only the loop over j is there twice. The expression stands twice, and is computed once.
// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %y = concrete_index.compute (%out)
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK-NEXT:         concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:           concrete_index.forall %j {
// CHECK-NEXT:             %b = concrete_index.access %B[%i, %k]
// CHECK-NEXT:             %c = concrete_index.access %C[%k, %j]
// CHECK-NEXT:             %p = algebra.apply mul(%b, %c)
// CHECK-NEXT:             concrete_index.assign %p into %w[%j]
// CHECK-NEXT:           }
// CHECK-NEXT:         } consume (%w_1) {
// CHECK-NEXT:           concrete_index.forall %j_1 {
// CHECK-NEXT:             %0 = concrete_index.access %w_1[%j_1]
// CHECK-NEXT:             %e = algebra.apply exp(%0)
// CHECK-NEXT:             %x = concrete_index.access %d[%k]
// CHECK-NEXT:             %f = algebra.apply sub(%e, %x)
// CHECK-NEXT:             %s = algebra.apply mul(%f, %0)
// CHECK-NEXT:             concrete_index.assign add %s into %t[]
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%u) {
// CHECK-NEXT:       %x_1 = concrete_index.access %u[]
// CHECK-NEXT:       concrete_index.assign %x_1 into %out[%i]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @twice(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %x = concrete_index.access %d[%k] : tensor<?xf64>
            %e = algebra.apply exp(%p) : (f64) -> f64
            %f = algebra.apply sub(%e, %x) : (f64, f64) -> f64
            %s = algebra.apply mul(%f, %p) : (f64, f64) -> f64
            concrete_index.assign add %s into %t[] : tensor<f64>
          }
        }
      } consume (%u) {
        %x = concrete_index.access %u[] : tensor<f64>
        concrete_index.assign %x into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// Of a matrix stored by columns, all of which are there, a row has entries in some: its workspace lists them.
// CHECK-LABEL: func.func @row_of_columns
// CHECK: produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
func.func @row_of_columns(%B: tensor<?x?xf64>, %C: tensor<?x?xf64, #csc>) -> tensor<?x?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, #csc>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i, %k, %j] : tensor<?x?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?x?xf64>
}
