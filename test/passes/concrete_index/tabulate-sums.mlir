// RUN: irtensor-opt %s -p tabulate-sums | filecheck %s

// Entries of X are stored by columns, so the sums over k for its rows would be computed for each entry. They are computed
// once for each row, with the exponential, if there are more entries than rows.
// CHECK-LABEL: func.func @by_columns
// CHECK: [[ROWS:%[0-9]+]] = concrete_index.extent %Y, 0
// CHECK-NEXT: [[ENTRIES:%[0-9]+]] = concrete_index.entry_count %X[] levels 2
// CHECK-NEXT: [[MANY:%[0-9]+]] = arith.cmpi sgt, [[ENTRIES]], [[ROWS]]
// CHECK-NEXT: [[FEW:%[0-9]+]] = arith.cmpi sle, [[ENTRIES]], [[ROWS]]
// CHECK: concrete_index.if [[MANY]] {
// CHECK-NEXT: where produce (%w) : tensor<?xf64> {
// CHECK-NEXT: forall %i {
// CHECK-NEXT: where produce (%t) : tensor<f64> {
// CHECK: } consume (%t_1) {
// CHECK: algebra.apply exp
// CHECK-NEXT: assign %{{[a-z0-9_]+}} into %w[%i]
// CHECK: } consume (%w_1) {
// CHECK-NEXT: forall %j {
// CHECK-NEXT: where produce (%t_2) : tensor<f64> {
// CHECK-NEXT: forall %i_1 {
// CHECK-NOT: exp
// CHECK: [[VALUE:%[a-z0-9_]+]] = concrete_index.access %w_1[%i_1]
// CHECK: algebra.apply mul({{%[a-z0-9_]+}}, [[VALUE]])
// CHECK-NEXT: assign add %{{[a-z0-9_]+}} into %t_2[]
// CHECK: concrete_index.if [[FEW]] {
// CHECK-NEXT: forall %j_1 {
// CHECK-NEXT: forall %i_2 {
// CHECK-NEXT: where produce
func.func @by_columns(%X: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// Dense loops come to each row as often as there are columns, so there is one version, whose vector is read unless the
// loops have no iterations. The loop over the vector is for threads if the other is.
// CHECK-LABEL: func.func @dense
// CHECK: concrete_index.extent %Y, 0
// CHECK-NEXT: concrete_index.extent %X, 1
// CHECK-NEXT: [[VISITS:%[0-9]+]] = arith.muli
// CHECK: [[READ:%[0-9]+]] = arith.cmpi sgt, [[VISITS]]
// CHECK: where produce (%w) : tensor<?xf64> {
// CHECK-NEXT: concrete_index.if [[READ]] {
// CHECK-NEXT: forall %i attributes {parallel = "automatic"}
// CHECK: } consume (%w_1) {
// CHECK-NEXT: forall %j attributes {parallel = "automatic"}
// CHECK-NOT: concrete_index.if
func.func @dense(%X: tensor<?x?xf64>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> {
    concrete_index.forall %j attributes {parallel = "automatic"} {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// Two values depend on the sum: the sum itself is in the vector.
// CHECK-LABEL: func.func @two_values
// CHECK: concrete_index.if
// CHECK: } consume (%t_1) {
// CHECK-NEXT: [[SUM:%[a-z0-9_]+]] = concrete_index.access %t_1[]
// CHECK-NEXT: assign [[SUM]] into %w[%i]
// CHECK: } consume (%w_1) {
// CHECK: access %w_1[%i_1]
// CHECK: algebra.apply exp
func.func @two_values(%X: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>, %Y: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %o = concrete_index.compute (%o_1) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %Y[%i, %k] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          %v = concrete_index.access %y[%i] : tensor<?xf64>
          %p = algebra.apply mul(%v, %s) : (f64, f64) -> f64
          %e = algebra.apply exp(%p) : (f64) -> f64
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i : compressed)>>
          %both = algebra.apply add(%x, %s) : (f64, f64) -> f64
          %q = algebra.apply mul(%both, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %o_1[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %o : tensor<?xf64>
}

// A loop that the sum depends on is around the vector. What the loops inside add up is added to what it added before.
// CHECK-LABEL: func.func @inside
// CHECK: forall %i {
// CHECK: where produce (%w) : tensor<?xf64> {
// CHECK: } consume (%w_1) {
// CHECK: where produce (%t_2) : tensor<f64> {
// CHECK: forall %j {
// CHECK: } consume (%t_3) {
// CHECK-NEXT: [[TOTAL:%[a-z0-9_]+]] = concrete_index.access %t_3[]
// CHECK-NEXT: assign add [[TOTAL]] into %o_1[]
func.func @inside(%X: tensor<?x?xf64>, %Y: tensor<?x?xf64>) -> tensor<f64> {
  %o = concrete_index.compute (%o_1) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          concrete_index.where produce (%t) : tensor<f64> {
            concrete_index.forall %l {
              %a = concrete_index.access %Y[%i, %l] : tensor<?x?xf64>
              %b = concrete_index.access %Y[%k, %l] : tensor<?x?xf64>
              %c = algebra.apply mul(%a, %b) : (f64, f64) -> f64
              concrete_index.assign add %c into %t[] : tensor<f64>
            }
          } consume (%u) {
            %s = concrete_index.access %u[] : tensor<f64>
            %x = concrete_index.access %X[%j, %k] : tensor<?x?xf64>
            %q = algebra.apply mul(%x, %s) : (f64, f64) -> f64
            concrete_index.assign add %q into %o_1[] : tensor<f64>
          }
        }
      }
    }
  }
  func.return %o : tensor<f64>
}

// Loops that append to the result are one version. They read the vector where there is one, and compute the sum otherwise.
// CHECK-LABEL: func.func @appended
// CHECK: [[MANY:%[0-9]+]] = arith.cmpi sgt
// CHECK-NEXT: [[FEW:%[0-9]+]] = arith.cmpi sle
// CHECK-NEXT: concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT: concrete_index.if [[MANY]] {
// CHECK-NEXT: concrete_index.forall %j {
// CHECK: algebra.apply exp
// CHECK: } consume (%w_1) {
// CHECK-NEXT: concrete_index.forall %i {
// CHECK-NEXT: concrete_index.forall %j_1 {
// CHECK: where produce (%s_1) : tensor<f64> {
// CHECK-NEXT: concrete_index.if [[MANY]] {
// CHECK-NEXT: [[VALUE:%[a-z0-9_]+]] = concrete_index.access %w_1[%j_1]
// CHECK-NEXT: concrete_index.assign [[VALUE]] into %s_1[]
// CHECK: concrete_index.if [[FEW]] {
// CHECK: algebra.apply exp
// CHECK: } consume (%s_3) {
// CHECK: concrete_index.assign add %p into %R_1[%i]
func.func @appended(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %V: tensor<?x?xf64>) -> tensor<?xf64, #storage.format<compressed>> {
  %R = concrete_index.compute (%R_1) : tensor<?xf64, #storage.format<compressed>> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %f {
            %v = concrete_index.access %V[%j, %f] : tensor<?x?xf64>
            concrete_index.assign add %v into %t[] : tensor<f64>
          }
        } consume (%u) {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
          %s = concrete_index.access %u[] : tensor<f64>
          %e = algebra.apply exp(%s) : (f64) -> f64
          %p = algebra.apply mul(%a, %e) : (f64, f64) -> f64
          concrete_index.assign add %p into %R_1[%i] : tensor<?xf64, #storage.format<compressed>>
        }
      }
    }
  }
  func.return %R : tensor<?xf64, #storage.format<compressed>>
}
