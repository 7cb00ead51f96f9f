// RUN: irtensor-opt %s -p regroup-factors | filecheck %s

// The quotient is the same for all entries of a row.
// CHECK-LABEL: func.func @outer_loop_first
// CHECK: [[A:%[0-9a-z_]+]] = concrete_index.access %A[%i, %j]
// CHECK-NEXT: [[X:%[0-9a-z_]+]] = concrete_index.access %x[%i]
// CHECK-NEXT: [[D:%[0-9a-z_]+]] = concrete_index.access %d[%i]
// CHECK-NEXT: [[Q:%[0-9a-z_]+]] = algebra.apply div([[X]], [[D]])
// CHECK-NEXT: [[P:%[0-9a-z_]+]] = algebra.apply mul([[Q]], [[A]])
// CHECK-NEXT: assign add [[P]] into %y_1[%j]
func.func @outer_loop_first(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %c = concrete_index.access %d[%i] : tensor<?xf64>
        %q = algebra.apply div(%p, %c) : (f64, f64) -> f64
        concrete_index.assign add %q into %y_1[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// A product in parentheses, and a function of what an outer loop determines. Lengths add up along a path, and the least
// one is taken: addition is the product there. Whole numbers are not rounded.
// CHECK-LABEL: func.func @lengths
// CHECK: [[S:%[0-9a-z_]+]] = algebra.apply abs
// CHECK-NEXT: [[P:%[0-9a-z_]+]] = algebra.apply add({{%[0-9a-z_]+}}, [[S]])
// CHECK-NEXT: [[Q:%[0-9a-z_]+]] = algebra.apply add([[P]], {{%[0-9a-z_]+}})
// CHECK-NEXT: assign min [[Q]] into
func.func @lengths(%A: tensor<?x?xi64>, %x: tensor<?xi64>, %d: tensor<?xi64>) -> tensor<?xi64> {
  %y = concrete_index.compute (%y_1) : tensor<?xi64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %x[%i] : tensor<?xi64>
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xi64>
        %c = concrete_index.access %d[%i] : tensor<?xi64>
        %s = algebra.apply abs(%c) : (i64) -> i64
        %p = algebra.apply add(%a, %s) : (i64, i64) -> i64
        %q = algebra.apply add(%b, %p) : (i64, i64) -> i64
        concrete_index.assign min %q into %y_1[%j] : tensor<?xi64>
      }
    }
  }
  func.return %y : tensor<?xi64>
}

// The sum for e may be tabulated, so what is multiplied for the same e comes to it. The loop over i is not one of them.
// CHECK-LABEL: func.func @beside_a_sum
// CHECK: consume ([[U:%[0-9a-z_]+]])
// CHECK: [[D:%[0-9a-z_]+]] = concrete_index.access %D[%i, %e]
// CHECK: [[C:%[0-9a-z_]+]] = concrete_index.access %c[%e]
// CHECK: [[T:%[0-9a-z_]+]] = concrete_index.access [[U]][]
// CHECK-NEXT: [[P:%[0-9a-z_]+]] = algebra.apply mul([[C]], [[T]])
// CHECK-NEXT: [[Q:%[0-9a-z_]+]] = algebra.apply mul([[D]], [[P]])
// CHECK-NEXT: assign add [[Q]] into %n_1[%i]
func.func @beside_a_sum(%D: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %c: tensor<?xf64>, %S: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>) -> tensor<?xf64> {
  %n = concrete_index.compute (%n_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %e {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %j {
            %s = concrete_index.access %S[%e, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %s into %t[] : tensor<f64>
          }
        } consume (%u) {
          %d = concrete_index.access %D[%i, %e] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
          %b = concrete_index.access %c[%e] : tensor<?xf64>
          %p = algebra.apply mul(%d, %b) : (f64, f64) -> f64
          %v = concrete_index.access %u[] : tensor<f64>
          %q = algebra.apply mul(%p, %v) : (f64, f64) -> f64
          concrete_index.assign add %q into %n_1[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %n : tensor<?xf64>
}

// The loop over j is inside of that over i, which neither the factor nor the divisor depends on: a vector may have the
// quotients.
// CHECK-LABEL: func.func @divided_vector
// CHECK: [[A:%[0-9a-z_]+]] = concrete_index.access %A[%i, %j]
// CHECK-NEXT: [[X:%[0-9a-z_]+]] = concrete_index.access %x[%j]
// CHECK-NEXT: [[D:%[0-9a-z_]+]] = concrete_index.access %d[%j]
// CHECK-NEXT: [[Q:%[0-9a-z_]+]] = algebra.apply div([[X]], [[D]])
// CHECK-NEXT: [[P:%[0-9a-z_]+]] = algebra.apply mul([[A]], [[Q]])
// CHECK-NEXT: assign add [[P]] into %y_1[%i]
func.func @divided_vector(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %c = concrete_index.access %d[%j] : tensor<?xf64>
        %q = algebra.apply div(%p, %c) : (f64, f64) -> f64
        concrete_index.assign add %q into %y_1[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
