// RUN: irtensor-opt --parallelize-outermost %s | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

algebra.operator @later(%a: f64, %b: f64) -> f64 attributes {associative} {
  algebra.yield %b : f64
}

// All iterations store into the same components, and the last of them counts.
// CHECK-LABEL: @columns
// CHECK: concrete_index.forall %i {
func.func @columns(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign @later %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// A schedule has chosen another loop.
// CHECK-LABEL: @scheduled
// CHECK: concrete_index.forall %i {
// CHECK-NEXT: concrete_index.forall %j attributes {parallel = "none"} {
func.func @scheduled(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j attributes {parallel = "none"} {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// Iterations store the element and its mirror, which another iteration may store as well.
// CHECK-LABEL: @mirrored
// CHECK: concrete_index.forall %i {
func.func @mirrored(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %a into %r[%j, %i] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
