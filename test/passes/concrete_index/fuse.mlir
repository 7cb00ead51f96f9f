// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f}' | filecheck %s --check-prefix=TWO
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},fuse{outer=f inner=k fused=g}' | filecheck %s --check-prefix=THREE
// RUN: irtensor-opt %s -p 'fuse{outer=j inner=k fused=f},split{variable=f outer=f0 inner=f1 size=8}' | filecheck %s --check-prefix=SPLIT

// Loops are marked; a fused one may be fused again.
// TWO:        concrete_index.forall %i attributes {fused = "f"} {
// TWO-NEXT:     concrete_index.forall %j attributes {fused = "f"} {
// TWO-NEXT:       concrete_index.forall %k {
// THREE:      concrete_index.forall %i attributes {fused = "g"} {
// THREE-NEXT:   concrete_index.forall %j attributes {fused = "g"} {
// THREE-NEXT:     concrete_index.forall %k attributes {fused = "g"} {

// Only under the first coordinate of the outer loop the inner one begins late, only under the last it ends early.
// SPLIT:        concrete_index.forall %f0 from
// SPLIT:          concrete_index.forall %j from [[START:%[0-9]+]] to {{.*}} attributes {fused = "f1"} {
// SPLIT-NEXT:       [[FIRST:%[0-9]+]] = arith.cmpi eq, %j, [[START]] : index
// SPLIT-NEXT:       [[LAST:%[0-9]+]] = arith.cmpi eq, %j, [[END:%[0-9]+]] : index
// SPLIT-NEXT:       %lo = arith.select [[FIRST]], {{.*}} : index
// SPLIT-NEXT:       %hi = arith.select [[LAST]], {{.*}} : index
// SPLIT-NEXT:       concrete_index.forall %k from %lo to %hi attributes {fused = "f1"} {
func.func @copy(%A: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
          concrete_index.assign %a into %out[%i, %j, %k] : tensor<?x?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?x?xf64>
}
