// RUN: irtensor-opt %s --split-input-file -p scatter-reductions | filecheck %s

// The coordinate depends on the variable, or is a floating-point number: the loops stay.
// CHECK-LABEL: func.func @depends
// CHECK:      concrete_index.forall %b {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK:          concrete_index.if %c {
// CHECK-NOT:        concrete_index.let
func.func @depends(%I: tensor<?x?xi64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = concrete_index.compute (%h) : tensor<?xf64> {
    concrete_index.forall %b {
      concrete_index.forall %i {
        %a = concrete_index.access %I[%i, %b] : tensor<?x?xi64>
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

// CHECK-LABEL: func.func @number
// CHECK:      concrete_index.forall %b {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK:          concrete_index.if %c {
// CHECK-NOT:        concrete_index.let
func.func @number(%I: tensor<?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = concrete_index.compute (%h) : tensor<?xf64> {
    concrete_index.forall %b {
      concrete_index.forall %i {
        %a = concrete_index.access %I[%i] : tensor<?xf64>
        %w = algebra.cast %b : index to i64
        %v = algebra.cast %w : i64 to f64
        %c = algebra.apply eq(%a, %v) : (f64, f64) -> i1
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

// Something else is stored for each coordinate, by the same loop.
// CHECK-LABEL: func.func @something_else
// CHECK:      concrete_index.forall %b {
// CHECK:        concrete_index.forall %i {
// CHECK:          concrete_index.if %c {
// CHECK-NOT:        concrete_index.let
func.func @something_else(%I: tensor<?xi64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = concrete_index.compute (%h) : tensor<?xf64> {
    concrete_index.forall %b {
      %o = algebra.constant 1.0 : f64
      concrete_index.assign add %o into %h[%b] : tensor<?xf64>
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
