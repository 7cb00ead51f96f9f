// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p insert-workspaces | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Inner products reach the result in order: nothing is inserted.
// CHECK-LABEL: func.func @sddmm
// CHECK-NOT:   concrete_index.where
func.func @sddmm(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %D = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
          %c = concrete_index.access %C[%j, %k] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %D : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// The operands contradict each other, which no workspace helps against.
// CHECK-LABEL: func.func @cycle
// CHECK-NOT:   concrete_index.where
func.func @cycle(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csc>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csc>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#tuples = #storage.format<(i, j) -> (i : compressed(nonunique, nonordered), j : singleton(nonordered))>
// A list of tuples in no order is appended to as the loops reach them.
// CHECK-LABEL: func.func @tuples
// CHECK-NOT: concrete_index.where
func.func @tuples(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #tuples> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #tuples> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign %0 into %out[%j, %i] : tensor<?x?xf64, #tuples>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #tuples>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// %C is read down its columns, but for few of them: rows of all columns would be more work.
// CHECK-LABEL: func.func @sampled_by_columns
// CHECK-NOT:   concrete_index.where
func.func @sampled_by_columns(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64, #csr> {
  %D = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %D : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// So for a tensor of higher order, of which no copy is made.
// CHECK-LABEL: func.func @sampled_within
// CHECK-NOT:   concrete_index.where
func.func @sampled_within(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?x?xf64>) -> tensor<?x?xf64, #csr> {
  %D = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          concrete_index.forall %l {
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %B[%k, %j, %l] : tensor<?x?x?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
          }
        }
      }
    }
  }
  func.return %D : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#bitmap = #storage.format<(i, j) -> (i : dense, j : bitmap)>
// The entries of %M say which coordinates are reached.
// CHECK-LABEL: func.func @sampled_bitmap
// CHECK-NOT:   concrete_index.where
func.func @sampled_bitmap(%M: tensor<?x?xf64, #csr>, %A: tensor<?x?xf64>, %B: tensor<?x?xf64, #bitmap>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %m = concrete_index.access %M[%i, %j] : tensor<?x?xf64, #csr>
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #bitmap>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %q = algebra.apply mul(%m, %p) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
