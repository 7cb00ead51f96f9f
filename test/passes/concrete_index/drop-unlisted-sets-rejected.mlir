// Sets that stay.
// RUN: irtensor-opt %s -p drop-unlisted-sets | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// Its members are listed: they are the entries of the result.
// CHECK-LABEL: func.func @listed
// CHECK: where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
func.func @listed(%D: tensor<?x?xf64, #csr>) -> tensor<?xf64, #list> {
  %X = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %D[%k, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %w[%j] : tensor<?xf64, #w>
        }
      }
    } consume (%v) {
      concrete_index.forall %j {
        %s = concrete_index.access %v[%j] : tensor<?xf64, #w>
        concrete_index.assign %s into %out[%j] : tensor<?xf64, #list>
      }
    }
  }
  func.return %X : tensor<?xf64, #list>
}

// They are listed beside the entries of another tensor.
// CHECK-LABEL: func.func @merged
// CHECK: where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
func.func @merged(%D: tensor<?x?xf64, #csr>, %c: tensor<?xf64, #list>) -> tensor<?xf64, #list> {
  %X = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %D[%k, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %w[%j] : tensor<?xf64, #w>
        }
      }
    } consume (%v) {
      concrete_index.forall %j {
        %e = concrete_index.access %c[%j] : tensor<?xf64, #list>
        %s = concrete_index.access %v[%j] : tensor<?xf64, #w>
        %p = algebra.apply add(%e, %s) : (f64, f64) -> f64
        concrete_index.assign %p into %out[%j] : tensor<?xf64, #list>
      }
    }
  }
  func.return %X : tensor<?xf64, #list>
}

// Each row would clear all of it.
// CHECK-LABEL: func.func @row_by_row
// CHECK: where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
func.func @row_by_row(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %X = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #w> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign add %p into %w[%j] : tensor<?xf64, #w>
          }
        }
      } consume (%v) {
        concrete_index.forall %j {
          %c = concrete_index.access %C[%i, %j] : tensor<?x?xf64, #csr>
          %s = concrete_index.access %v[%j] : tensor<?xf64, #w>
          %p = algebra.apply mul(%c, %s) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %X : tensor<?x?xf64, #csr>
}
