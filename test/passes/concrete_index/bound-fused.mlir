// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},bound{variable=f extent=32 kind=multiple},split{variable=f outer=f0 inner=f1 size=8}' | filecheck %s --check-prefix=FUSED

// Of fused loops it is said of the product of their extents, from which the number of blocks is computed.
// FUSED-LABEL: func.func @rows
// FUSED:      [[ROWS:%[0-9]+]] = concrete_index.extent %out, 0
// FUSED:      [[COLUMNS:%[0-9]+]] = concrete_index.extent %A, 1
// FUSED:      [[PRODUCT:%[0-9]+]] = arith.muli [[ROWS]], [[COLUMNS]] : index
// FUSED:      [[TOTAL:%[0-9]+]] = arith.select {{.*}}, [[PRODUCT]],
// FUSED:      [[KNOWN:%[0-9]+]] = concrete_index.bound [[TOTAL]] multiple 32 {variable = "f"}
// FUSED:      arith.addi [[KNOWN]],
// FUSED:      concrete_index.forall %f0 from
func.func @rows(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
