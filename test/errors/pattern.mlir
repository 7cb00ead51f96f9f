// RUN: not irtensor-opt %s -p lower-concrete-index-to-iteration-lattice,lower-looplets,lower-iteration-lattice-to-loop 2>&1 | filecheck %s

#bits = #storage.format<(i) -> (i : bitmap), leaf = pattern>
func.func @f(%A: tensor<?x?xi1>) -> tensor<?xi1, #bits> {
  %y = concrete_index.compute (%out) : tensor<?xi1, #bits> {
    concrete_index.forall %k {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%k, %i] : tensor<?x?xi1>
        concrete_index.assign xor %a into %out[%i] : tensor<?xi1, #bits>
      }
    }
  }
  func.return %y : tensor<?xi1, #bits>
}

// CHECK:      {{.*}}:7:7: error: [unsupported-result] 'xor' combines elements of a result that has no values (leaf = pattern), and may make one false
// CHECK: help: compute it in a format with values, and convert that, or combine elements by 'or'
