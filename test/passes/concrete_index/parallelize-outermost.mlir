// RUN: irtensor-opt --parallelize-outermost %s | filecheck %s
// RUN: irtensor-opt -p keep-order-of-sums,parallelize-outermost %s | filecheck %s --check-prefix=STRICT

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// CHECK-LABEL: @rows
// CHECK: concrete_index.forall %i attributes {parallel = "automatic"} {
// CHECK-NEXT: concrete_index.forall %j {
func.func @rows(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// A sum is added up in parts, where that may be.
// CHECK-LABEL: @sum
// CHECK: concrete_index.forall %i attributes {parallel = "automatic"} {
// STRICT-LABEL: @sum
// STRICT: concrete_index.forall %i {
func.func @sum(%x: tensor<?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.where produce (%t) : tensor<f64> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign add %a into %t[] : tensor<f64>
      }
    } consume (%u) {
      %a = concrete_index.access %u[] : tensor<f64>
      concrete_index.assign %a into %r[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// Every part has sums of its own, where that may be.
// CHECK-LABEL: @columns
// CHECK: concrete_index.forall %i attributes {parallel = "automatic"} {
// STRICT-LABEL: @columns
// STRICT: concrete_index.forall %i {
func.func @columns(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

#diagonals = #storage.format<(i, j) -> (j - i : compressed, j : range, i : offset)>

// The row follows from two loops, so that iterations of both reach it again.
// CHECK-LABEL: @along_diagonals
// CHECK: concrete_index.forall %d from %{{.*}} attributes {parallel = "automatic"} {
// STRICT-LABEL: @along_diagonals
// STRICT: concrete_index.forall %d from %{{.*}} to %{{[0-9a-z]+}} {
func.func @along_diagonals(%A: tensor<?x?xf64, #diagonals>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    %rows = concrete_index.extent %A, 0 : tensor<?x?xf64, #diagonals>
    %columns = concrete_index.extent %A, 1 : tensor<?x?xf64, #diagonals>
    %one = arith.constant 1 : index
    %first = arith.subi %one, %rows : index
    concrete_index.forall %d from %first to %columns {
      concrete_index.forall %j {
        %row = arith.subi %j, %d : index
        concrete_index.let %i = %row {
          %a = concrete_index.access %A[%d, %j, %i] : tensor<?x?xf64, #diagonals>
          concrete_index.assign add %a into %r[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// Whole numbers, and the greatest of numbers, do not depend on the order.
// CHECK-LABEL: @exact
// CHECK-COUNT-2: parallel = "automatic"
// STRICT-LABEL: @exact
// STRICT-COUNT-2: parallel = "automatic"
func.func @exact(%x: tensor<?xi64>, %y: tensor<?xf64>) -> (tensor<i64>, tensor<f64>) {
  %s = concrete_index.compute (%r) : tensor<i64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xi64>
      concrete_index.assign add %a into %r[] : tensor<i64>
    }
  }
  %m = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %y[%i] : tensor<?xf64>
      concrete_index.assign max %a into %r[] : tensor<f64>
    }
  }
  func.return %s, %m : tensor<i64>, tensor<f64>
}
