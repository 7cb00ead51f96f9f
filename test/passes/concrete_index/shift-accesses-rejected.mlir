// RUN: irtensor-opt %s --split-input-file -p shift-accesses | filecheck %s

#list = #storage.format<(i) -> (i : compressed)>

// Two lists at different distances: none of them is taken.
// CHECK-LABEL: func.func @two
// CHECK:      concrete_index.forall %i {
func.func @two(%x: tensor<?xf64, #list>, %z: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      %one = arith.constant 1 : index
      %p = arith.addi %i, %one : index
      %q = arith.addi %p, %one : index
      concrete_index.let %j = %p {
        concrete_index.let %k = %q {
          %a = concrete_index.access %x[%j] : tensor<?xf64, #list>
          %b = concrete_index.access %x[%k] : tensor<?xf64, #list>
          %c = concrete_index.access %z[%i] : tensor<?xf64>
          %d = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %e = algebra.apply mul(%d, %c) : (f64, f64) -> f64
          concrete_index.assign add %e into %r[] : tensor<f64>
        }
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>

// A coordinate that falls while the variable grows would turn the order around.
// CHECK-LABEL: func.func @backwards
// CHECK:      concrete_index.forall %i {
func.func @backwards(%x: tensor<?xf64, #list>, %z: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      %nine = arith.constant 9 : index
      %p = arith.subi %nine, %i : index
      concrete_index.let %j = %p {
        %a = concrete_index.access %x[%j] : tensor<?xf64, #list>
        %c = concrete_index.access %z[%i] : tensor<?xf64>
        %d = algebra.apply mul(%a, %c) : (f64, f64) -> f64
        concrete_index.assign add %d into %r[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The loop over the rows is inside, so that each column is searched: as many searches as there are columns.
// CHECK-LABEL: func.func @searched
// CHECK:      concrete_index.forall %j {
// CHECK-NOT:  concrete_index.if
func.func @searched(%A: tensor<?x?xf64, #csr>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %j {
      %two = arith.constant 2 : index
      %p = arith.muli %j, %two : index
      concrete_index.let %k = %p {
        concrete_index.forall %i {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %r[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
