// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=1},precompute{expression="x[i1]" variables=i0 producer=b}' | filecheck %s
// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=1},precompute{expression="x[i1]" variables=i0 producer=b}' | irtensor-opt - | filecheck %s
// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=1},precompute{expression="x[i1]" variables=i0 producer=b},divide{variable=i1 outer=c inner=d parts=5}' | irtensor-opt - | filecheck %s --check-prefix=CUT

// A block has one coordinate, so the plain assignment in its loop reaches each component of the workspace once.
// CHECK-LABEL: func.func @copy
// CHECK: concrete_index.forall %b from %0 to %{{[0-9]+}} attributes {blocks} {
// CHECK-NEXT:   %[[END:[0-9]+]] = arith.addi %b, %{{[0-9]+}} : index
// CHECK-NEXT:   %hi = arith.minsi %1, %[[END]] : index
// CHECK-NEXT:   concrete_index.forall %i1 from %b to %hi {
// CHECK-NEXT:     %a = concrete_index.access %x[%i1]
// CHECK-NEXT:     concrete_index.assign %a into %w[%b]

// Loops over parts of that block reach it once as well, all together.
// CUT: concrete_index.forall %c from
// CUT: concrete_index.forall %d from
// CUT-NEXT: concrete_index.access %x[%d]
// CUT-NEXT: concrete_index.assign %a into %w[%b]
func.func @copy(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
