// Hash tables whose entries go to a result in no order are listed as they were filled.
// RUN: irtensor-opt %s -p leave-maps-unsorted | filecheck %s

#rows = #storage.format<(i, j) -> (i : compressed, j : compressed)>
#unsorted = #storage.format<(i, j) -> (i : compressed, j : compressed(nonordered))>
#w = #storage.format<(i) -> (i : map)>
// CHECK-LABEL: func.func @product
// CHECK: concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : map(nonordered))>>
// CHECK: concrete_index.assign add %{{.*}} into %w[%j] : tensor<?xf64, #storage.format<(i) -> (i : map(nonordered))>>
// CHECK: consume (%v)
// CHECK: concrete_index.access %v[%j_1] : tensor<?xf64, #storage.format<(i) -> (i : map(nonordered))>>
func.func @product(%A: tensor<?x?xf64, #rows>, %B: tensor<?x?xf64, #rows>) -> tensor<?x?xf64, #unsorted> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #unsorted> {
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
          concrete_index.assign %0 into %out[%i, %j] : tensor<?x?xf64, #unsorted>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #unsorted>
}

#list = #storage.format<(i) -> (i : compressed)>
// Components of a dense result are written in any order.
// CHECK-LABEL: func.func @scatter
// CHECK: where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : map(nonordered))>>
func.func @scatter(%a: tensor<?xf64, #list>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %i {
        %0 = concrete_index.access %a[%i] : tensor<?xf64, #list>
        concrete_index.assign %0 into %w[%i] : tensor<?xf64, #w>
      }
    } consume (%v) {
      concrete_index.forall %i {
        %0 = concrete_index.access %v[%i] : tensor<?xf64, #w>
        %1 = concrete_index.access %x[%i] : tensor<?xf64>
        %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// What is located is looked up, be it by a loop that goes along another hash table.
// CHECK-LABEL: func.func @located
// CHECK: where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : map(nonordered))>>
// CHECK: where produce (%u) : tensor<?xf64, #storage.format<(i) -> (i : map(nonordered))>>
func.func @located(%a: tensor<?xf64, #list>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %i {
        %0 = concrete_index.access %a[%i] : tensor<?xf64, #list>
        concrete_index.assign %0 into %w[%i] : tensor<?xf64, #w>
      }
    } consume (%v) {
      concrete_index.where produce (%u) : tensor<?xf64, #w> {
        concrete_index.forall %i {
          %0 = concrete_index.access %b[%i] : tensor<?xf64, #list>
          concrete_index.assign %0 into %u[%i] : tensor<?xf64, #w>
        }
      } consume (%t) {
        concrete_index.forall %i {
          %0 = concrete_index.access %v[locate %i] : tensor<?xf64, #w>
          %1 = concrete_index.access %t[step %i] : tensor<?xf64, #w>
          %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
