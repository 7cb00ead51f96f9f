// RUN: irtensor-opt %s -p 'pos{variable=j positions=jp tensor=A}' | filecheck %s
// RUN: irtensor-opt %s -p 'pos{variable=j positions=jp tensor=A indices="i","j"},split{variable=jp outer=b inner=e size=4}' | filecheck %s --check-prefix=CUT
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},pos{variable=f positions=fp tensor=A},divide{variable=fp outer=b inner=e parts=4}' | filecheck %s --check-prefix=FUSED

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// CHECK: scheduled ["pos"]
// CHECK: concrete_index.forall %jp attributes {positions = "A"} {
// CHECK:   concrete_index.access %A[%i, %jp]
// CUT:   concrete_index.entry_count %A
// CUT:   concrete_index.forall %b from
// CUT:     concrete_index.forall %e from {{.*}} attributes {positions = "A"} {
// FUSED:   concrete_index.entry_count %A
// FUSED:   concrete_index.forall %b from
// FUSED:     concrete_index.forall %i from {{.*}} attributes {fused = "e", positions = "A"} {
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
