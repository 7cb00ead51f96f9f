// RUN: irtensor-opt %s --split-input-file -p 'fuse{outer=i inner=j fused=f}' | filecheck %s

// The two halves of a loop that was split are that loop again.
// CHECK-LABEL: @halves
// CHECK:        concrete_index.compute
// CHECK-NEXT:     concrete_index.forall %f {
// CHECK-NEXT:     concrete_index.access %A[%f]
func.func @halves(%A: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %n = concrete_index.extent %A, 0 : tensor<?xf64>
    %zero = arith.constant 0 : index
    %size = arith.constant 4 : index
    %three = arith.constant 3 : index
    %more = arith.addi %n, %three : index
    %blocks = arith.divsi %more, %size : index
    concrete_index.forall %i from %zero to %blocks {
      %lo = arith.muli %i, %size : index
      %end = arith.addi %lo, %size : index
      %hi = arith.minsi %n, %end : index
      concrete_index.forall %j from %lo to %hi {
        %a = concrete_index.access %A[%j] : tensor<?xf64>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Where blocks may go on behind the dimension, so does the loop.
// CHECK-LABEL: @any_number
// CHECK:        %[[SIZE:.*]] = arith.constant 4
// CHECK:        %[[LENGTH:.*]] = arith.muli %n, %[[SIZE]]
// CHECK:        %[[END:.*]] = arith.addi %m, %[[LENGTH]]
// CHECK:        concrete_index.forall %f from %m to %[[END]] {
func.func @any_number(%A: tensor<?xf64>, %n: index, %m: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %size = arith.constant 4 : index
    concrete_index.forall %i from %zero to %n {
      %first = arith.muli %i, %size : index
      %lo = arith.addi %m, %first : index
      %hi = arith.addi %lo, %size : index
      concrete_index.forall %j from %lo to %hi {
        %a = concrete_index.access %A[%j] : tensor<?xf64>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
