// RUN: irtensor-opt %s --split-input-file -p conditions-to-ranges | filecheck %s

// A loop that does something else as well keeps its condition.
// CHECK-LABEL: func.func @something_else
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK:          concrete_index.assign add %a into %r[] : tensor<f64>
// CHECK:          concrete_index.if %c {
func.func @something_else(%A: tensor<?x?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %a into %r[] : tensor<f64>
        %c = algebra.apply lt(%i, %j) : (index, index) -> i1
        concrete_index.if %c {
          concrete_index.assign add %a into %r[] : tensor<f64>
        }
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

// `!=`, a factor of 2, and a remainder are no range.
// CHECK-LABEL: func.func @no_range
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK:          concrete_index.if
func.func @no_range(%A: tensor<?x?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %vi = algebra.cast %i : index to i64
        %vj = algebra.cast %j : index to i64
        %two = algebra.constant 2 : i64
        %double = algebra.apply mul(%vj, %two) : (i64, i64) -> i64
        %rest = algebra.apply mod(%vj, %two) : (i64, i64) -> i64
        %p = algebra.apply ne(%vi, %vj) : (i64, i64) -> i1
        %q = algebra.apply lt(%double, %vi) : (i64, i64) -> i1
        %e = algebra.apply eq(%rest, %vi) : (i64, i64) -> i1
        %c = algebra.apply and(%p, %q) : (i1, i1) -> i1
        %d = algebra.apply and(%c, %e) : (i1, i1) -> i1
        concrete_index.if %d {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
          concrete_index.assign add %a into %r[] : tensor<f64>
        }
      }
    }
  }
  func.return %s : tensor<f64>
}
