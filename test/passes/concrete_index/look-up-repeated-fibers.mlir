// RUN: irtensor-opt %s -p look-up-repeated-fibers | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// Row i of L is the same for each j: it is put into a workspace, and row j leads.
// CHECK-LABEL: func.func @triangles
// CHECK:      forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       %[[row:.*]] = concrete_index.access %L[%i, %k]
// CHECK-NEXT:       concrete_index.assign %[[row]] into %w[%k]
// CHECK:        } consume (%[[v:.*]]) {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.forall %[[k:.*]] {
// CHECK-NEXT:         concrete_index.access %L[%i, %j]
// CHECK-NEXT:         concrete_index.access %L[%j, %[[k]]]
// CHECK-NEXT:         concrete_index.access %[[v]][%[[k]]]
// CHECK-NOT:          concrete_index.access %L
func.func @triangles(%L: tensor<?x?xf64, #csr>) -> tensor<f64> {
  %s = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %L[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %L[%j, %k] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %L[%i, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[] : tensor<f64>
        }
      }
    }
  }
  func.return %s : tensor<f64>
}

// The mask of a product, in the part that fills a workspace.
// CHECK-LABEL: func.func @masked
// CHECK:      forall %i {
// CHECK-NEXT:   concrete_index.where produce (%[[w:.*]]) : {{.*}} {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.access %M[%i, %j]
// CHECK:        } consume
// CHECK-NEXT:     concrete_index.forall %k {
func.func @masked(%M: tensor<?x?xf64, #csr>, %A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %m = concrete_index.access %M[%i, %j] : tensor<?x?xf64, #csr>
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%m, %a) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %b) : (f64, f64) -> f64
          concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

#csf = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>

// Row k comes again for each l of a fiber.
// CHECK-LABEL: func.func @fibers
// CHECK:      forall %k {
// CHECK-NEXT:   concrete_index.where produce (%[[w:.*]]) : {{.*}} {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       concrete_index.access %C[%k, %j]
// CHECK:        } consume
// CHECK-NEXT:     concrete_index.forall %l {
func.func @fibers(%T: tensor<?x?x?xf64, #csf>, %C: tensor<?x?xf64, #csr>, %D: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %M = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %l {
          concrete_index.forall %j {
            %t = concrete_index.access %T[%i, %k, %l] : tensor<?x?x?xf64, #csf>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64, #csr>
            %d = concrete_index.access %D[%l, %j] : tensor<?x?xf64, #csr>
            %p = algebra.apply mul(%t, %c) : (f64, f64) -> f64
            %q = algebra.apply mul(%p, %d) : (f64, f64) -> f64
            concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64>
          }
        }
      }
    }
  }
  func.return %M : tensor<?x?xf64>
}
