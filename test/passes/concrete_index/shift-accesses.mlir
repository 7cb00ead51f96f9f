// RUN: irtensor-opt %s --split-input-file -p shift-accesses | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The loop goes along the rows of A, and x is located at the distance.
// CHECK-LABEL: func.func @rows
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %k from %{{.*}} to %{{.*}} {
// CHECK-NEXT:     %[[AT:.*]] = arith.subi %k, %{{.*}} : index
// CHECK-NEXT:     concrete_index.let %j = %[[AT]] {
// CHECK:            %a = concrete_index.access %A[%i, %k]
// CHECK:            %b = concrete_index.access %x[%j]
func.func @rows(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %one = arith.constant 1 : index
        %at = arith.addi %j, %one : index
        concrete_index.let %k = %at {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %r[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
