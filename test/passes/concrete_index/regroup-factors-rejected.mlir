// Terms that stay as they are written.
// RUN: irtensor-opt %s --split-input-file -p regroup-factors | filecheck %s

// The order of operations is kept.
// CHECK-LABEL: func.func @in_order
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply mul({{%[0-9a-z_]+}}, {{%[0-9a-z_]+}})
// CHECK: algebra.apply div([[P]], {{%[0-9a-z_]+}})
func.func @in_order(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> attributes {algebra.keeps_order} {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
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

// -----

// No sum is computed, so all is rounded as it is written.
// CHECK-LABEL: func.func @no_sum
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply mul({{%[0-9a-z_]+}}, {{%[0-9a-z_]+}})
// CHECK: algebra.apply div([[P]], {{%[0-9a-z_]+}})
func.func @no_sum(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %c = concrete_index.access %d[%i] : tensor<?xf64>
        %q = algebra.apply div(%p, %c) : (f64, f64) -> f64
        concrete_index.assign %q into %y_1[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

// The dividend is another one for each j, and one divided by the divisor would be rounded once more.
// CHECK-LABEL: func.func @divisor_alone
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply mul({{%[0-9a-z_]+}}, {{%[0-9a-z_]+}})
// CHECK: algebra.apply div([[P]], {{%[0-9a-z_]+}})
func.func @divisor_alone(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %c = concrete_index.access %d[%i] : tensor<?xf64>
        %q = algebra.apply div(%p, %c) : (f64, f64) -> f64
        concrete_index.assign add %q into %y_1[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A product that is used elsewhere is computed anyway.
// CHECK-LABEL: func.func @used_twice
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply mul([[A:%[0-9a-z_]+]], {{%[0-9a-z_]+}})
// CHECK-NEXT: algebra.apply exp([[P]])
// CHECK-NEXT: algebra.apply mul([[P]], {{%[0-9a-z_]+}})
func.func @used_twice(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %c = concrete_index.access %d[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %e = algebra.apply exp(%p) : (f64) -> f64
        %q = algebra.apply mul(%p, %e) : (f64, f64) -> f64
        concrete_index.assign add %q into %y_1[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// No entry is absent where all is exact.
// CHECK-LABEL: func.func @exact
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply mul([[A:%[0-9a-z_]+]], {{%[0-9a-z_]+}}) exact
// CHECK-NEXT: algebra.apply mul([[P]], {{%[0-9a-z_]+}}) exact
func.func @exact(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %c = concrete_index.access %d[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) exact : (f64, f64) -> f64
        %q = algebra.apply mul(%p, %c) exact : (f64, f64) -> f64
        concrete_index.assign add %q into %y_1[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// The greatest of some products is not a product of the greatest factor.
// CHECK-LABEL: func.func @greatest
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply mul([[A:%[0-9a-z_]+]], {{%[0-9a-z_]+}})
// CHECK-NEXT: algebra.apply mul([[P]], {{%[0-9a-z_]+}})
func.func @greatest(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %c = concrete_index.access %d[%i] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
        concrete_index.assign max %q into %y_1[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// The least of rounded lengths is one of them, with the bits that it has as it is written.
// CHECK-LABEL: func.func @least
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply add([[A:%[0-9a-z_]+]], {{%[0-9a-z_]+}})
// CHECK-NEXT: algebra.apply add([[P]], {{%[0-9a-z_]+}})
func.func @least(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %c = concrete_index.access %d[%i] : tensor<?xf64>
        %p = algebra.apply add(%a, %b) : (f64, f64) -> f64
        %q = algebra.apply add(%p, %c) : (f64, f64) -> f64
        concrete_index.assign min %q into %y_1[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Each element is divided once for each i, in an order that is as good as another one: no factor has the divisor's loop.
// CHECK-LABEL: func.func @no_factor_of_the_same_loop
// CHECK: [[P:%[0-9a-z_]+]] = algebra.apply mul({{%[0-9a-z_]+}}, {{%[0-9a-z_]+}})
// CHECK: algebra.apply div([[P]], {{%[0-9a-z_]+}})
func.func @no_factor_of_the_same_loop(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y_1) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %c = concrete_index.access %d[%j] : tensor<?xf64>
        %q = algebra.apply div(%p, %c) : (f64, f64) -> f64
        concrete_index.assign add %q into %y_1[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
