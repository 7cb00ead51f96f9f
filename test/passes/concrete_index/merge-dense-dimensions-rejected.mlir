// RUN: irtensor-opt %s -p merge-dense-dimensions | filecheck %s

// These loops stay two: another operand has one of the variables, or both in the other order.
func.func @apart(%A: tensor<?x?xf64>, %x: tensor<?xf64>, %B: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %1 = concrete_index.access %x[%j] : tensor<?xf64>
        %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %2 into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  %z = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %1 = concrete_index.access %B[%j, %i] : tensor<?x?xf64>
        %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
        concrete_index.assign %2 into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y, %z : tensor<?x?xf64>, tensor<?x?xf64>
}

// CHECK:     func.func @apart
// CHECK-NOT: storage.merge

// A variable that is used as a coordinate, a loop over a part, one that a schedule has marked, a level that is not dense.
func.func @used(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        %1 = arith.cmpi slt, %i, %j : index
        concrete_index.if %1 {
          concrete_index.assign %0 into %r[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// CHECK:     func.func @used
// CHECK-NOT: storage.merge

func.func @part(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    concrete_index.forall %i {
      concrete_index.forall %j from %two to %three {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %0 into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// CHECK:     func.func @part
// CHECK-NOT: storage.merge

func.func @marked(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j attributes {vectorize = 4 : i64} {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %0 into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// CHECK:     func.func @marked
// CHECK-NOT: storage.merge

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @sparse(%A: tensor<?x?xf64, #csr>, %D: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          concrete_index.forall %l {
            %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
            %1 = concrete_index.access %D[%k, %l, %j] : tensor<?x?x?xf64>
            %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
            concrete_index.assign add %2 into %r[%i, %k, %l] : tensor<?x?x?xf64>
          }
        }
      }
    }
  }
  func.return %y : tensor<?x?x?xf64>
}

// CHECK:     func.func @sparse
// CHECK-NOT: storage.merge
