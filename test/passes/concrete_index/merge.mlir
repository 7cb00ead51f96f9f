// RUN: irtensor-opt %s -p 'merge{variable=j strategy=gallop}' | filecheck %s
// RUN: irtensor-opt %s -p 'merge{variable=j}' | filecheck %s --check-prefix=LINEAR
// RUN: irtensor-opt %s -p 'merge{variable=j strategy=gallop},lower-concrete-index-to-iteration-lattice' | filecheck %s --check-prefix=LATTICE

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
// CHECK: concrete_index.compute {{.*}} scheduled ["merge"] {
// CHECK-NEXT: concrete_index.forall %i {
// CHECK-NEXT: concrete_index.forall %j attributes {merge = "gallop"} {
// LINEAR: concrete_index.forall %j attributes {merge = "linear"} {
// LATTICE: iteration_lattice.coiterate full {{.*}} over {{.*}} {
// LATTICE: iteration_lattice.coiterate full merge "gallop"
func.func @product(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64, #list>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
