// RUN: irtensor-opt %s -p 'divide{variable=i outer=i0 inner=i1 parts=4}' | filecheck %s

// A fixed number of blocks; trailing ones may be smaller or empty, but do not begin behind the end.
// CHECK-LABEL: func.func @scale
// CHECK:          [[ZERO:%[0-9]+]] = arith.constant 0 : index
// CHECK-NEXT:     [[N:%[0-9]+]] = concrete_index.extent %out, 0 : tensor<?xf64>
// CHECK-NEXT:     [[LESS:%[0-9]+]] = arith.constant 3 : index
// CHECK-NEXT:     [[SUM:%[0-9]+]] = arith.addi [[N]], [[LESS]] : index
// CHECK-NEXT:     [[PARTS:%[0-9]+]] = arith.constant 4 : index
// CHECK-NEXT:     [[LENGTH:%[0-9]+]] = arith.divsi [[SUM]], [[PARTS]] : index
// CHECK-NEXT:     concrete_index.forall %i0 from [[ZERO]] to [[PARTS]] {
// CHECK-NEXT:       [[START:%[0-9]+]] = arith.muli %i0, [[LENGTH]] : index
// CHECK-NEXT:       [[END:%[0-9]+]] = arith.addi [[START]], [[LENGTH]] : index
// CHECK-NEXT:       %hi = arith.minsi [[N]], [[END]] : index
// CHECK-NEXT:       %lo = arith.minsi [[N]], [[START]] : index
// CHECK-NEXT:       concrete_index.forall %i1 from %lo to %hi {
// CHECK-NEXT:         %a = concrete_index.access %x[%i1] : tensor<?xf64>
func.func @scale(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
