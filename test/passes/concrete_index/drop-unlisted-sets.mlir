// A set that is emptied once, and in which coordinates of another tensor are looked up, is not needed.
// RUN: irtensor-opt %s -p drop-unlisted-sets | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// CHECK-LABEL: func.func @by_column
// CHECK: concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : dense)>> {
// CHECK: concrete_index.assign add %a into %w[%j]
// CHECK: } consume (%v) {
// CHECK: concrete_index.access %v[%j_1]
func.func @by_column(%D: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %X = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %D[%k, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %w[%j] : tensor<?xf64, #w>
        }
      }
    } consume (%v) {
      concrete_index.forall %i {
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

#smallest = #storage.format<(i) -> (i : accumulator), fill = inf>
// What has no value still reads as what the temporary starts at.
// CHECK-LABEL: func.func @smallest
// CHECK: where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : dense), fill = inf>> {
func.func @smallest(%D: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %X = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.where produce (%w) : tensor<?xf64, #smallest> {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %D[%k, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign min %a into %w[%j] : tensor<?xf64, #smallest>
        }
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %c = concrete_index.access %C[%i, %j] : tensor<?x?xf64, #csr>
          %s = concrete_index.access %v[%j] : tensor<?xf64, #smallest>
          %p = algebra.apply mul(%c, %s) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %X : tensor<?x?xf64, #csr>
}
