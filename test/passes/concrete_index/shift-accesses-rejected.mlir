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

// A result that is appended to in order of the variable keeps the loop; so does a distance of twice the variable.
// CHECK-LABEL: func.func @appended
// CHECK:      concrete_index.forall %i {
func.func @appended(%x: tensor<?xf64, #list>, %z: tensor<?xf64>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%r) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      %one = arith.constant 1 : index
      %p = arith.addi %i, %one : index
      concrete_index.let %j = %p {
        %a = concrete_index.access %x[%j] : tensor<?xf64, #list>
        %c = concrete_index.access %z[%i] : tensor<?xf64>
        %d = algebra.apply mul(%a, %c) : (f64, f64) -> f64
        concrete_index.assign %d into %r[%i] : tensor<?xf64, #list>
      }
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// CHECK-LABEL: func.func @twice
// CHECK:      concrete_index.forall %i {
func.func @twice(%x: tensor<?xf64, #list>, %z: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i {
      %two = arith.constant 2 : index
      %p = arith.muli %i, %two : index
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
