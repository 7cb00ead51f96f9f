// RUN: irtensor-opt %s --split-input-file -p look-up-repeated-fibers | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A sum: entries of both count, so none leads.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: concrete_index.where
func.func @sum(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
          %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %s into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// Both rows change in each iteration of the only loop around.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: concrete_index.where
func.func @elementwise(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>

// Nothing takes memory for an extent, which may be of any size.
// CHECK-LABEL: func.func @hypersparse
// CHECK-NOT: concrete_index.where
func.func @hypersparse(%A: tensor<?x?xf64, #dcsr>, %B: tensor<?x?xf64, #dcsr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dcsr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #dcsr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A loop with a tag stays where its tag was meant for it.
// CHECK-LABEL: func.func @tagged
// CHECK-NOT: concrete_index.where
func.func @tagged(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k attributes {unroll = 2 : i64} {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}
