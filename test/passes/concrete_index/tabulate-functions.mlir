// RUN: irtensor-opt %s --split-input-file -p tabulate-functions | filecheck %s

// Roots of the sums of columns would be computed again in each row. They are a vector, and the workspace of the sums is
// read for that alone. The loop over the vector is for threads if the other is.
// CHECK-LABEL: func.func @columns
// CHECK: where produce (%v) : tensor<?xf64> {
// CHECK-NEXT: concrete_index.forall %j_1 attributes {parallel = "automatic"} {
// CHECK-NEXT: %s = concrete_index.access %u[%j_1]
// CHECK-NEXT: %r = algebra.apply sqrt(%s)
// CHECK-NEXT: concrete_index.assign %r into %v[%j_1]
// CHECK: } consume (%v_1) {
// CHECK-NEXT: concrete_index.forall %i_1 attributes {parallel = "automatic"} {
// CHECK-NEXT: concrete_index.forall %j_2 {
// CHECK-NEXT: %x_1 = concrete_index.access %X[%i_1, %j_2]
// CHECK-NEXT: %r_1 = concrete_index.access %v_1[%j_2]
// CHECK-NEXT: algebra.apply div(%x_1, %r_1)
func.func @columns(%X: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?x?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
          concrete_index.assign add %x into %w[%j] : tensor<?xf64>
        }
      }
    } consume (%u) {
      concrete_index.forall %i attributes {parallel = "automatic"} {
        concrete_index.forall %j {
          %x = concrete_index.access %X[%i, %j] : tensor<?x?xf64>
          %s = concrete_index.access %u[%j] : tensor<?xf64>
          %r = algebra.apply sqrt(%s) : (f64) -> f64
          %q = algebra.apply div(%x, %r) : (f64, f64) -> f64
          concrete_index.assign %q into %Z_1[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %Z : tensor<?x?xf64>
}

// -----

// Operands and numbers as well, outside of all loops that compute the function again, also where a term is added up.
// CHECK-LABEL: func.func @operands
// CHECK: where produce (%v) : tensor<?xf64> {
// CHECK-NEXT: concrete_index.forall %k {
// CHECK: algebra.apply exp
// CHECK-NEXT: concrete_index.assign
// CHECK: } consume (%v_1) {
// CHECK-NEXT: concrete_index.forall %i {
// CHECK-NEXT: concrete_index.forall %j {
// CHECK-NEXT: concrete_index.forall %k_1 {
// CHECK-NOT: algebra.apply exp
// CHECK: access %v_1[%k_1]
func.func @operands(%X: tensor<?x?x?xf64>, %y: tensor<?xf64>, %n: tensor<f64>) -> tensor<?xf64> {
  %Z = concrete_index.compute (%Z_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %x = concrete_index.access %X[%i, %j, %k] : tensor<?x?x?xf64>
          %a = concrete_index.access %y[%k] : tensor<?xf64>
          %b = concrete_index.access %n[] : tensor<f64>
          %d = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %e = algebra.apply exp(%d) : (f64) -> f64
          %q = algebra.apply mul(%x, %e) : (f64, f64) -> f64
          concrete_index.assign add %q into %Z_1[%k] : tensor<?xf64>
        }
      }
    }
  }
  func.return %Z : tensor<?xf64>
}
