// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s -p look-up-repeated-fibers,accumulate-wide-unions,ask-workspaces | filecheck %s
// RUN: not irtensor-opt %s -p asymptotic-cost 2>&1 | filecheck %s --check-prefix COST

// What stores nothing is printed so that it can be read back, and no pass stumbles over it.
// COST: error: [no-asymptotic-cost] the asymptotic cost is not known of a body that stores nothing

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT: }
func.func @nothing() -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @loops
// CHECK: concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT: } consume (%t_1) {
// CHECK-NEXT: }
// CHECK-NEXT: concrete_index.forall %i {
// CHECK-NEXT: concrete_index.forall %j {
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @loops() -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%t) : tensor<f64> {
    } consume (%t) {
    }
    concrete_index.forall %i {
      concrete_index.forall %j {
      }
    }
  }
  func.return %y : tensor<?xf64>
}
