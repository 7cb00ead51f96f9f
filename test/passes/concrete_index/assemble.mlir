// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert}' %s | filecheck %s
// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert},assemble{tensor=y strategy=append}' %s | filecheck %s --check-prefix=LAST
// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert},lower-concrete-index-to-iteration-lattice' %s | filecheck %s --check-prefix=LATTICE
// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert},lower-concrete-index-to-iteration-lattice,lower-looplets,lower-iteration-lattice-to-loop' %s | filecheck %s --check-prefix=LOOP

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// CHECK: %y = concrete_index.compute (%r) : tensor<{{.*}}> assemble "insert" scheduled ["assemble"] {
// LAST: %y = concrete_index.compute (%r) : tensor<{{.*}}> assemble "append" scheduled ["assemble"] {
// LATTICE: storage.result counted
// LOOP: loop.for %i = {{.*}} attributes {counted} {
func.func @copy(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}
