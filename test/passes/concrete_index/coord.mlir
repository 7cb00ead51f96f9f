// RUN: irtensor-opt %s -p 'pos{variable=j positions=jp tensor=A},coord{positions=jp variable=k}' | filecheck %s
// RUN: irtensor-opt %s -p 'pos{variable=j positions=jp tensor=A},split{variable=jp outer=b inner=e size=4},coord{positions=e variable=k},split{variable=k outer=k0 inner=k1 size=2}' | filecheck %s --check-prefix=BLOCK

// RUN: irtensor-opt %s -p 'coord{positions=j variable=k},split{variable=k outer=k0 inner=k1 size=2}' | filecheck %s --check-prefix=NAME

// CHECK: scheduled ["pos", "coord"]
// CHECK: concrete_index.forall %k {
// CHECK:   concrete_index.access %A[%i, %k]
// A loop that counts coordinates gets another name.
// NAME: concrete_index.forall %k0 from
// NAME:   concrete_index.forall %k1 from
// A block of entries is cut by coordinates.
// BLOCK: concrete_index.forall %b from
// BLOCK:   concrete_index.forall %k0 from
// BLOCK-NOT: concrete_index.entry %A
// BLOCK:     concrete_index.forall %k1 from %lo_1 to
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
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
