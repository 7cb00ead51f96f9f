// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p insert-conversions | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// Some order of the loops suits both.
// CHECK-LABEL: func.func @agree
// CHECK-NOT: storage.converts
// CHECK:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK:       %b = concrete_index.access %B[%j, %i] : tensor<?x?xf64, {{.*}}>
func.func @agree(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csc>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%j, %i] : tensor<?x?xf64, #csc>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The result is appended to out of order, which a workspace makes up for.
// CHECK-LABEL: func.func @result
// CHECK-NOT: storage.converts
// CHECK:         %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, {{.*}}>
// CHECK:         %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, {{.*}}>
func.func @result(%B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
// Sums of rows, by columns: the same.
// CHECK-LABEL: func.func @row_sums
// CHECK-NOT: storage.converts
// CHECK:        concrete_index.access %A[%i, %j]
func.func @row_sums(%A: tensor<?x?xf64, #csc>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csc>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64, #list>
      }
    }
  }
  func.return %y : tensor<?xf64, #list>
}
