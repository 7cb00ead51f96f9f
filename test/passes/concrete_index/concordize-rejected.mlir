// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p concordize --verify-diagnostics | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Accesses in storage order need no rebinding, a scalar has nothing to bind.
// CHECK-LABEL: func.func @concordant
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:       %b = concrete_index.access %x[%j] : tensor<?xf64>
// CHECK-NEXT:       %c = concrete_index.access %s[] : tensor<f64>
// CHECK-NEXT:       %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT:       %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
// CHECK-NEXT:       concrete_index.assign add %q into %out[%i] : tensor<?xf64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @concordant(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %s: tensor<f64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %c = concrete_index.access %s[] : tensor<f64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
        concrete_index.assign add %q into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Blocks have loops of their own first.
#two = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>
func.func @blocks(%a: tensor<?xf64, #two>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[wrong-stage] 'a' is stored in blocks ((i) -> (i floordiv 2 : compressed, i mod 2 : dense)), but indexed by dimension}}
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #two>
      concrete_index.assign add %0 into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
