// RUN: irtensor-opt %s -p lower-concrete-index-to-iteration-lattice,lower-looplets,lower-iteration-lattice-to-loop | filecheck %s

// An operand without values is the constant true, and a result without values stores where its value is true.
#pattern = #storage.format<(i) -> (i : compressed), leaf = pattern>
func.func @positive(%A: tensor<?xi1, #pattern>, %x: tensor<?xf64>) -> tensor<?xi1, #pattern> {
  %y = concrete_index.compute (%out) : tensor<?xi1, #pattern> {
    concrete_index.forall %i {
      %a = concrete_index.access %A[%i] : tensor<?xi1, #pattern>
      %b = concrete_index.access %x[%i] : tensor<?xf64>
      %zero = algebra.constant 0.0 : f64
      %is = algebra.apply gt(%b, %zero) : (f64, f64) -> i1
      %both = algebra.apply and(%a, %is) : (i1, i1) -> i1
      concrete_index.assign %both into %out[%i] : tensor<?xi1, #pattern>
    }
  }
  func.return %y : tensor<?xi1, #pattern>
}

// CHECK-LABEL: func.func @positive
// CHECK-NOT:   storage.values %A
// CHECK:       %is = algebra.apply gt
// CHECK-NEXT:  loop.if %is {
// CHECK-NEXT:    loop.count
// CHECK:         loop.append
// CHECK-NOT:   storage.values %y
