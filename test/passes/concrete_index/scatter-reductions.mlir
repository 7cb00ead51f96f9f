// RUN: irtensor-opt %s --split-input-file -p scatter-reductions | filecheck %s

// Each term is stored at the coordinate that it has; outside of the range nothing is.
// CHECK-LABEL: func.func @sum
// CHECK:      %[[N:.*]] = concrete_index.extent %h, 0 : tensor<?xf64>
// CHECK-NEXT: concrete_index.forall %i {
// CHECK-NEXT:   %a = concrete_index.access %I[%i] : tensor<?xi64>
// CHECK-NEXT:   %[[B:.*]] = arith.index_cast %a : i64 to index
// CHECK-NEXT:   %[[P:.*]] = algebra.apply ge(%[[B]], %{{.*}}) : (index, index) -> i1
// CHECK-NEXT:   %[[Q:.*]] = algebra.apply lt(%[[B]], %[[N]]) : (index, index) -> i1
// CHECK-NEXT:   %[[C:.*]] = algebra.apply and(%[[P]], %[[Q]]) : (i1, i1) -> i1
// CHECK-NEXT:   concrete_index.if %[[C]] {
// CHECK-NEXT:     concrete_index.let %b = %[[B]] {
// CHECK-NEXT:       %x_1 = concrete_index.access %x[%i] : tensor<?xf64>
// CHECK-NEXT:       concrete_index.assign add %x_1 into %h[%b] : tensor<?xf64>
func.func @sum(%I: tensor<?xi64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = concrete_index.compute (%h) : tensor<?xf64> {
    concrete_index.forall %b {
      concrete_index.forall %i {
        %a = concrete_index.access %I[%i] : tensor<?xi64>
        %v = algebra.cast %b : index to i64
        %c = algebra.apply eq(%a, %v) : (i64, i64) -> i1
        concrete_index.if %c {
          %x_1 = concrete_index.access %x[%i] : tensor<?xf64>
          concrete_index.assign add %x_1 into %h[%b] : tensor<?xf64>
        }
      }
    }
  }
  func.return %r : tensor<?xf64>
}

// -----

// A maximum that is part of a value has a temporary for all coordinates, which starts from the identity.
// CHECK-LABEL: func.func @part
// CHECK:      concrete_index.where produce (%t) : tensor<?xf64, #storage.format<(i) -> (i : dense), fill = -inf>> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK:          concrete_index.let %b = %{{.*}} {
// CHECK:            concrete_index.assign max %{{.*}} into %t[%b]
// CHECK:      } consume (%{{.*}}) {
// CHECK-NEXT:   concrete_index.forall %[[B:.*]] {
// CHECK:          concrete_index.access %y[%[[B]]] : tensor<?xf64>
// CHECK:          concrete_index.assign %{{.*}} into %h[%[[B]]] : tensor<?xf64>
func.func @part(%I: tensor<?xi64>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = concrete_index.compute (%h) : tensor<?xf64> {
    concrete_index.forall %b {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %i {
          %a = concrete_index.access %I[%i] : tensor<?xi64>
          %v = algebra.cast %b : index to i64
          %c = algebra.apply eq(%v, %a) : (i64, i64) -> i1
          concrete_index.if %c {
            %x_1 = concrete_index.access %x[%i] : tensor<?xf64>
            concrete_index.assign max %x_1 into %t[] : tensor<f64>
          }
        }
      } consume (%u) {
        %m = concrete_index.access %u[] : tensor<f64>
        %o = concrete_index.access %y[%b] : tensor<?xf64>
        %s = algebra.apply add(%m, %o) : (f64, f64) -> f64
        concrete_index.assign %s into %h[%b] : tensor<?xf64>
      }
    }
  }
  func.return %r : tensor<?xf64>
}
