// What is merged with another list, added up, or appended in order is listed in order.
// RUN: irtensor-opt %s -p leave-maps-unsorted | filecheck %s

#list = #storage.format<(i) -> (i : compressed)>
#unsorted = #storage.format<(i) -> (i : compressed(nonordered))>
#w = #storage.format<(i) -> (i : map)>
// CHECK-NOT: map(nonordered)
func.func @merged(%a: tensor<?xf64, #list>, %b: tensor<?xf64, #list>) -> tensor<?xf64, #unsorted> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #unsorted> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %i {
        %0 = concrete_index.access %a[%i] : tensor<?xf64, #list>
        concrete_index.assign %0 into %w[%i] : tensor<?xf64, #w>
      }
    } consume (%v) {
      concrete_index.forall %i {
        %0 = concrete_index.access %v[%i] : tensor<?xf64, #w>
        %1 = concrete_index.access %b[%i] : tensor<?xf64, #list>
        %p = algebra.apply add(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %p into %out[%i] : tensor<?xf64, #unsorted>
      }
    }
  }
  func.return %y : tensor<?xf64, #unsorted>
}

func.func @added_up(%a: tensor<?xf64, #list>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %i {
        %0 = concrete_index.access %a[%i] : tensor<?xf64, #list>
        concrete_index.assign %0 into %w[%i] : tensor<?xf64, #w>
      }
    } consume (%v) {
      concrete_index.forall %i {
        %0 = concrete_index.access %v[%i] : tensor<?xf64, #w>
        concrete_index.assign add %0 into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

#rows = #storage.format<(i, j) -> (i : dense, j : compressed(nonordered))>
// The rows of the result are appended one after the other, whatever the order in them.
func.func @rows(%a: tensor<?xf64, #list>, %b: tensor<?xf64, #list>) -> tensor<?x?xf64, #rows> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #rows> {
    concrete_index.where produce (%w) : tensor<?xf64, #w> {
      concrete_index.forall %i {
        %0 = concrete_index.access %a[%i] : tensor<?xf64, #list>
        concrete_index.assign %0 into %w[%i] : tensor<?xf64, #w>
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %0 = concrete_index.access %v[%i] : tensor<?xf64, #w>
          %1 = concrete_index.access %b[%j] : tensor<?xf64, #list>
          %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
          concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64, #rows>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #rows>
}
