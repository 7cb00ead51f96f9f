// RUN: irtensor-opt %s --split-input-file -p tighten-ranges | filecheck %s

// Another statement is in the loop over blocks as well, so that the loop does not end earlier.
// CHECK-LABEL: func.func @beside
// CHECK:         concrete_index.forall %b from %zero to %blocks {
// CHECK:           %lo = arith.minsi %n, %at : index
// CHECK-NEXT:      %hi = arith.minsi %n, %next : index
// CHECK-NEXT:      concrete_index.forall %i from %lo to %hi {
func.func @beside(%x: tensor<?xf64>, %z: tensor<f64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %seven = arith.constant 7 : index
    %n = concrete_index.extent %x, 0 : tensor<?xf64>
    %up = arith.addi %n, %seven : index
    %blocks = arith.divsi %up, %eight : index
    concrete_index.forall %p from %zero to %eight {
      concrete_index.forall %b from %zero to %blocks {
        %first = arith.muli %b, %eight : index
        %at = arith.addi %first, %p : index
        %next = arith.addi %at, %one : index
        %lo = arith.minsi %n, %at : index
        %hi = arith.minsi %n, %next : index
        concrete_index.forall %i from %lo to %hi {
          %a = concrete_index.access %x[%i] : tensor<?xf64>
          concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        }
        concrete_index.forall %j {
          %c = concrete_index.access %z[] : tensor<f64>
          concrete_index.assign add %c into %out[%j] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Where a window begins does not grow with the variable: it is no block.
// CHECK-LABEL: func.func @square
// CHECK:         %lo = arith.minsi %n, %at : index
// CHECK:         concrete_index.forall %i from %lo to %hi {
func.func @square(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = concrete_index.extent %x, 0 : tensor<?xf64>
    concrete_index.forall %b from %zero to %n {
      %at = arith.muli %b, %b : index
      %next = arith.addi %at, %one : index
      %lo = arith.minsi %n, %at : index
      %hi = arith.minsi %n, %next : index
      concrete_index.forall %i from %lo to %hi {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
