// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert}' %s | filecheck %s
// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert},assemble{tensor=y strategy=append}' %s | filecheck %s --check-prefix=LAST
// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert},lower-concrete-index-to-iteration-lattice' %s | filecheck %s --check-prefix=LATTICE
// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert},lower-concrete-index-to-iteration-lattice,lower-looplets,lower-iteration-lattice-to-loop' %s | filecheck %s --check-prefix=LOOP
// RUN: irtensor-opt -p 'assemble{strategy=insert}' %s | filecheck %s --check-prefix=ALL

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// CHECK: %y = concrete_index.compute (%r) : tensor<{{.*}}> assemble "insert" scheduled ["assemble"] {
// LAST: %y = concrete_index.compute (%r) : tensor<{{.*}}> assemble "append" scheduled ["assemble"] {
// ALL: %y = concrete_index.compute (%r) : tensor<{{.*}}> assemble "insert" {
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

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>

// Rows that both operands store: a merge, in a loop that is run twice as a whole, each time from the first row on.
// ALL-LABEL: @merge
// ALL: assemble "insert"
// LOOP-LABEL: @merge
// LOOP: loop.for %{{.*}} = {{.*}} attributes {counted} {
// LOOP: loop.cell
// LOOP: loop.while {
func.func @merge(%A: tensor<?x?xf64, #dcsr>, %B: tensor<?x?xf64, #dcsr>) -> tensor<?x?xf64, #dcsr> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64, #dcsr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dcsr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #dcsr>
        %c = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %c into %r[%i, %j] : tensor<?x?xf64, #dcsr>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #dcsr>
}
