// RUN: irtensor-opt %s --split-input-file -p concretize | filecheck %s

// A reduction that is the whole value becomes a compound assignment.
// CHECK-LABEL: func.func @spmv
// CHECK-NEXT: %y = concrete_index.compute (%y_1) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       %b = concrete_index.access %x[%j] : tensor<?xf64>
// CHECK-NEXT:       %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT:       concrete_index.assign add %p into %y_1[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @spmv(%A: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// A reduction that is part of a value is computed into a temporary, once per component.
// CHECK-LABEL: func.func @plus_vector
// CHECK-NEXT: %y = concrete_index.compute (%y_1) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:         concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%t_1) {
// CHECK-NEXT:       %s = concrete_index.access %t_1[] : tensor<f64>
// CHECK-NEXT:       %b = concrete_index.access %d[%i] : tensor<?xf64>
// CHECK-NEXT:       %p = algebra.apply add(%s, %b) : (f64, f64) -> f64
// CHECK-NEXT:       concrete_index.assign %p into %y_1[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @plus_vector(%A: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
      index_notation.yield %a : f64
    }
    %b = index_notation.access %d[%i] : tensor<?xf64>
    %p = algebra.apply add(%s, %b) : (f64, f64) -> f64
    index_notation.yield %p : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// Two reductions need two temporaries, the second inside the consumer of the first.
// CHECK-LABEL: func.func @quotient
// CHECK-NEXT: %y = concrete_index.compute (%y_1) : tensor<f64> {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %x[%j] : tensor<?xf64>
// CHECK-NEXT:       concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:   } consume (%t_1) {
// CHECK-NEXT:     concrete_index.where produce (%t_2) : tensor<f64> {
// CHECK-NEXT:       concrete_index.forall %j_1 {
// CHECK-NEXT:         %a_1 = concrete_index.access %x[%j_1] : tensor<?xf64>
// CHECK-NEXT:         concrete_index.assign max %a_1 into %t_2[] : tensor<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%t_3) {
// CHECK-NEXT:       %s = concrete_index.access %t_1[] : tensor<f64>
// CHECK-NEXT:       %m = concrete_index.access %t_3[] : tensor<f64>
// CHECK-NEXT:       %q = algebra.apply div(%s, %m) : (f64, f64) -> f64
// CHECK-NEXT:       concrete_index.assign %q into %y_1[] : tensor<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<f64>
func.func @quotient(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %x[%j] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    %m = index_notation.reduce max (%j) : f64 {
      %a = index_notation.access %x[%j] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    %q = algebra.apply div(%s, %m) : (f64, f64) -> f64
    index_notation.yield %q : f64
  }
  func.return %y : tensor<f64>
}

// -----

// Nested reductions with one operator are one nest of loops, in the order they are written.
// CHECK-LABEL: func.func @nested
// CHECK-NEXT: %y = concrete_index.compute (%y_1) : tensor<f64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:       concrete_index.assign add %a into %y_1[] : tensor<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<f64>
func.func @nested(%A: tensor<?x?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      %t = index_notation.reduce add (%j) : f64 {
        %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
        index_notation.yield %a : f64
      }
      index_notation.yield %t : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

// With another operator the inner one is complete before the outer one uses it.
// CHECK-LABEL: func.func @mixed
// CHECK-NEXT: %y = concrete_index.compute (%y_1) : tensor<f64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:       concrete_index.forall %j {
// CHECK-NEXT:         %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:         concrete_index.assign add %a into %t[] : tensor<f64>
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%t_1) {
// CHECK-NEXT:       %t_2 = concrete_index.access %t_1[] : tensor<f64>
// CHECK-NEXT:       concrete_index.assign max %t_2 into %y_1[] : tensor<f64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<f64>
func.func @mixed(%A: tensor<?x?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce max (%i) : f64 {
      %t = index_notation.reduce add (%j) : f64 {
        %a = index_notation.access %A[%i, %j] : tensor<?x?xf64>
        index_notation.yield %a : f64
      }
      index_notation.yield %t : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// Upstream scalars are read as the operators that they mean; those of coordinates stay.
// CHECK-LABEL: func.func @upstream
// CHECK: algebra.constant 2.000000e+00 : f64
// CHECK: algebra.apply mul(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
func.func @upstream(%x: tensor<?xf64>) -> tensor<?xf64> {
  %two = arith.constant 2.0 : f64
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    %b = arith.mulf %a, %two : f64
    index_notation.yield %b : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// A coordinate that is computed is bound by a let. One outside of the dimension is brought inside.
// CHECK-LABEL: func.func @coordinates
// CHECK:      concrete_index.forall %i {
// CHECK-NEXT:   %0 = arith.constant 1 : index
// CHECK-NEXT:   %1 = arith.addi %i, %0 : index
// CHECK-NEXT:   concrete_index.let %e = %1 {
// CHECK-NEXT:     %a = concrete_index.access %x[%e] : tensor<?xf64>
// CHECK-NEXT:     %2 = concrete_index.extent %x, 0 : tensor<?xf64>
// CHECK-NEXT:     %3 = arith.constant 1 : index
// CHECK-NEXT:     %4 = arith.subi %2, %3 : index
// CHECK-NEXT:     %5 = arith.constant 0 : index
// CHECK-NEXT:     %6 = arith.minsi %1, %4 : index
// CHECK-NEXT:     %7 = arith.maxsi %5, %6 : index
// CHECK-NEXT:     concrete_index.let %c = %7 {
// CHECK-NEXT:       %b = concrete_index.access %x[%c] : tensor<?xf64>
// CHECK-NEXT:       %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT:       %d = concrete_index.access %z[%i] : tensor<?xf64>
func.func @coordinates(%x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %e = index_notation.affine %i + 1
    %a = index_notation.access %x[%e] : tensor<?xf64>
    %c = index_notation.clamp %e, %x, 0 : tensor<?xf64>
    %b = index_notation.access %x[%c] : tensor<?xf64>
    %d = index_notation.access %z[%i] : tensor<?xf64>
    %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
    %t = algebra.apply add(%s, %d) : (f64, f64) -> f64
    index_notation.yield %t : f64
  }
  func.return %y : tensor<?xf64>
}
