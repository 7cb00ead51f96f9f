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

// -----

#list = #storage.format<(i) -> (i : compressed)>

// A result is appended to in order of both. The distance may be an element of a tensor, read outside of the loop.
// CHECK-LABEL: func.func @appended
// CHECK:      concrete_index.forall %j from %{{.*}} to %{{.*}} {
// CHECK-NEXT:   %[[AT:.*]] = arith.subi %j, %n_at : index
// CHECK-NEXT:   concrete_index.let %i = %[[AT]] {
// CHECK:          concrete_index.assign %{{.*}} into %r[%i]
func.func @appended(%x: tensor<?xf64, #list>, %z: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%r) : tensor<?xf64, #list> {
    %read = concrete_index.access %n[] : tensor<i64>
    %n_at = arith.index_cast %read : i64 to index
    concrete_index.forall %i {
      %p = arith.addi %i, %n_at : index
      concrete_index.let %j = %p {
        %a = concrete_index.access %x[%j] : tensor<?xf64, #list>
        %c = concrete_index.access %z[%i] : tensor<?xf64>
        %d = algebra.apply mul(%a, %c) : (f64, f64) -> f64
        concrete_index.assign %d into %r[%i] : tensor<?xf64, #list>
      }
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// Of a multiple of the variable, only the coordinates that it reaches are used.
// CHECK-LABEL: func.func @twice
// CHECK:      concrete_index.forall %j from %{{.*}} to %{{.*}} {
// CHECK:        arith.remsi
// CHECK:        concrete_index.if %{{.*}} {
// CHECK-NEXT:     %[[AT:.*]] = arith.divsi
// CHECK-NEXT:     concrete_index.let %i = %[[AT]] {
func.func @twice(%x: tensor<?xf64, #list>, %z: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      %two = arith.constant 2 : index
      %p = arith.muli %i, %two : index
      concrete_index.let %j = %p {
        %a = concrete_index.access %x[%j] : tensor<?xf64, #list>
        %c = concrete_index.access %z[%i] : tensor<?xf64>
        %d = algebra.apply mul(%a, %c) : (f64, f64) -> f64
        concrete_index.assign add %d into %r[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}
