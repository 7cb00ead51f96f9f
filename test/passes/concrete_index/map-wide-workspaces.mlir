// RUN: irtensor-opt %s -p 'map-wide-workspaces{huge=j}' | filecheck %s
// Nothing else takes memory for an extent in the first product.
// RUN: irtensor-opt %s -p 'map-wide-workspaces{large=j}' | filecheck %s --check-prefix=LARGE

#rows = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#w = #storage.format<(i) -> (i : accumulator)>
// CHECK-LABEL: func.func @product
// LARGE-LABEL: func.func @product
// LARGE: concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : map)>>
// CHECK: concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : map)>>
// CHECK: concrete_index.assign add %{{.*}} into %w[%j] : tensor<?xf64, #storage.format<(i) -> (i : map)>>
// CHECK: consume (%v)
// CHECK: concrete_index.access %v[%j_1] : tensor<?xf64, #storage.format<(i) -> (i : map)>>
func.func @product(%A: tensor<?x?xf64, #rows>, %B: tensor<?x?xf64, #rows>) -> tensor<?x?xf64, #rows> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #rows> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #w> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %0 = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #rows>
            %1 = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #rows>
            %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
            concrete_index.assign add %p into %w[%j] : tensor<?xf64, #w>
          }
        }
      } consume (%v) {
        concrete_index.forall %j {
          %0 = concrete_index.access %v[%j] : tensor<?xf64, #w>
          concrete_index.assign %0 into %out[%i, %j] : tensor<?x?xf64, #rows>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #rows>
}

#places = #storage.format<(i, j, k) -> (i : accumulator, j : accumulator, k : accumulator)>
// Below a map nobody knows how many rows there will be, so that what has a place for each coordinate of k is one too.
// CHECK-LABEL: func.func @below
// CHECK: produce (%w) : tensor<?x?x?xf64, #storage.format<(i, j, k) -> (i : accumulator, j : map, k : map)>>
func.func @below(%A: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?x?xf64> {
    concrete_index.where produce (%w) : tensor<?x?x?xf64, #places> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          concrete_index.forall %k {
            %0 = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
            concrete_index.assign %0 into %w[%i, %j, %k] : tensor<?x?x?xf64, #places>
          }
        }
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          concrete_index.forall %k {
            %0 = concrete_index.access %v[%i, %j, %k] : tensor<?x?x?xf64, #places>
            concrete_index.assign %0 into %out[%i, %j, %k] : tensor<?x?x?xf64>
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?x?xf64>
}

#blocked = #storage.format<(i, j) -> (i : accumulator, j : dense)>
// What counts blocks of j is wide where j is; the places in a block are few.
// CHECK-LABEL: func.func @blocks
// CHECK: produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : map, j : dense)>>
func.func @blocks(%x: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?x?xf64, #blocked> {
      concrete_index.forall %j {
        %size = arith.constant 3 : index
        %number = arith.divsi %j, %size : index
        %place = arith.remsi %j, %size : index
        concrete_index.let %jo = %number {
          concrete_index.let %ji = %place {
            %0 = concrete_index.access %x[%j] : tensor<?xf64>
            concrete_index.assign %0 into %w[%jo, %ji] : tensor<?x?xf64, #blocked>
          }
        }
      }
    } consume (%v) {
      %none = arith.constant 0 : index
      %size = arith.constant 3 : index
      concrete_index.forall %jo from %none to %n {
        concrete_index.forall %ji from %none to %size {
          %first = arith.muli %jo, %size : index
          %both = arith.addi %first, %ji : index
          concrete_index.let %j = %both {
            %0 = concrete_index.access %v[%jo, %ji] : tensor<?x?xf64, #blocked>
            concrete_index.assign %0 into %out[%j] : tensor<?xf64>
          }
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
