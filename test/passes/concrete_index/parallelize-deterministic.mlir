// RUN: irtensor-opt -p 'parallelize{variable=i races=atomics deterministic=true}' --split-input-file %s | filecheck %s

// Sums of integers, and extremes of floating-point numbers, are exact in any order.

// CHECK-LABEL: @sum
// CHECK: concrete_index.forall %i attributes {parallel = "atomics"}
func.func @sum(%x: tensor<?x?xi64>) -> tensor<?xi64> {
  %y = concrete_index.compute (%r) : tensor<?xi64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %x[%i, %j] : tensor<?x?xi64>
        concrete_index.assign add %a into %r[%j] : tensor<?xi64>
      }
    }
  }
  func.return %y : tensor<?xi64>
}

// -----

// CHECK-LABEL: @least
// CHECK: concrete_index.forall %i attributes {parallel = "atomics"}
func.func @least(%x: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %x[%i, %j] : tensor<?x?xf64>
        concrete_index.assign min %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
