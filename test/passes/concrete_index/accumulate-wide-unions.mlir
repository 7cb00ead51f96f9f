// RUN: irtensor-opt %s -p 'accumulate-wide-unions{terms=3}' | filecheck %s
// RUN: irtensor-opt %s -p accumulate-wide-unions | filecheck %s --check-prefix=FEW

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// Each term has a loop of its own into one workspace; a product with a dense vector is a term like any other.
// CHECK-LABEL: func.func @sum
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %[[A:.*]] = concrete_index.access %A[%i, %j]
// CHECK-NEXT:       concrete_index.assign add %[[A]] into %w[%j]
// CHECK-NEXT:     }
// CHECK-NEXT:     concrete_index.forall %[[J:.*]] {
// CHECK-NEXT:       %[[B:.*]] = concrete_index.access %B[%i, %[[J]]]
// CHECK-NEXT:       %[[X:.*]] = concrete_index.access %x[%[[J]]]
// CHECK-NEXT:       %[[P:.*]] = algebra.apply mul(%[[B]], %[[X]])
// CHECK-NEXT:       concrete_index.assign add %[[P]] into %w[%[[J]]]
// CHECK-NEXT:     }
// CHECK-NEXT:     concrete_index.forall
// CHECK-NEXT:       concrete_index.access %D
// CHECK-NEXT:       concrete_index.assign add
// CHECK:        } consume (%[[V:.*]]) {
// CHECK-NEXT:     concrete_index.forall %[[K:.*]] {
// CHECK-NEXT:       %[[R:.*]] = concrete_index.access %[[V]][%[[K]]]
// CHECK-NEXT:       concrete_index.assign %[[R]] into %{{.*}}[%i, %[[K]]]
// FEW-LABEL: func.func @sum
// FEW-NOT: concrete_index.where
func.func @sum(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %D: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%C_1) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %v = concrete_index.access %x[%j] : tensor<?xf64>
        %d = concrete_index.access %D[%i, %j] : tensor<?x?xf64, #csr>
        %p = algebra.apply mul(%b, %v) : (f64, f64) -> f64
        %s = algebra.apply add(%a, %p) : (f64, f64) -> f64
        %t = algebra.apply add(%s, %d) : (f64, f64) -> f64
        concrete_index.assign %t into %C_1[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}
