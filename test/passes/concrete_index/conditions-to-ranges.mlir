// RUN: irtensor-opt %s --split-input-file -p conditions-to-ranges | filecheck %s

// The loop begins at the diagonal, and nothing is compared inside.
// CHECK-LABEL: func.func @triangle
// CHECK:      %[[N:.*]] = concrete_index.extent %A, 1 : tensor<?x?xf64>
// CHECK-NEXT: concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j from %i to %[[N]] {
// CHECK-NEXT:     %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:     concrete_index.assign add %a into %r[] : tensor<f64>
func.func @triangle(%A: tensor<?x?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %c = algebra.apply le(%i, %j) : (index, index) -> i1
        concrete_index.if %c {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
          concrete_index.assign add %a into %r[] : tensor<f64>
        }
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

// Both ends of a band, as int64 values; what reads a tensor stays.
// CHECK-LABEL: func.func @band
// CHECK:      concrete_index.forall %i {
// CHECK:        %lo = arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK:        %hi = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:   concrete_index.forall %j from %lo to %hi {
// CHECK-NEXT:     %b = concrete_index.access %x[%j] : tensor<?xi1>
// CHECK-NEXT:     concrete_index.if %b {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
func.func @band(%A: tensor<?x?xf64>, %x: tensor<?xi1>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %vi = algebra.cast %i : index to i64
        %vj = algebra.cast %j : index to i64
        %two = algebra.constant 2 : i64
        %first = algebra.apply sub(%vi, %two) : (i64, i64) -> i64
        %last = algebra.apply add(%vi, %two) : (i64, i64) -> i64
        %p = algebra.apply ge(%vj, %first) : (i64, i64) -> i1
        %q = algebra.apply lt(%vj, %last) : (i64, i64) -> i1
        %b = concrete_index.access %x[%j] : tensor<?xi1>
        %c = algebra.apply and(%p, %q) : (i1, i1) -> i1
        %d = algebra.apply and(%c, %b) : (i1, i1) -> i1
        concrete_index.if %d {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
          concrete_index.assign add %a into %r[] : tensor<f64>
        }
      }
    }
  }
  func.return %s : tensor<f64>
}
