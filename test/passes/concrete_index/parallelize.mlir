// RUN: irtensor-opt -p 'parallelize{variable=i}' %s | filecheck %s
// RUN: irtensor-opt -p 'parallelize{variable=j races=ignore}' %s | filecheck %s --check-prefix=IGNORE
// RUN: irtensor-opt -p 'parallelize{variable=k races=temporary}' %s | filecheck %s --check-prefix=TEMPORARY
// RUN: irtensor-opt -p 'parallelize{variable=k races=atomics}' %s | filecheck %s --check-prefix=ATOMICS

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// CHECK-LABEL: @rows
// CHECK: concrete_index.forall %i attributes {parallel = "none"} {
// CHECK-NEXT: concrete_index.forall %j {
// IGNORE-LABEL: @rows
// IGNORE: concrete_index.forall %i {
// IGNORE-NEXT: concrete_index.forall %j attributes {parallel = "ignore"} {
func.func @rows(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %r[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// A number may be reduced into in parts.
// TEMPORARY-LABEL: @sum
// TEMPORARY: concrete_index.forall %k attributes {parallel = "temporary"} {
func.func @sum(%x: tensor<?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %k {
      %a = concrete_index.access %x[%k] : tensor<?xf64>
      concrete_index.assign max %a into %r[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// So may the components of a dense result, and iterations may also take turns in each of them.
// TEMPORARY-LABEL: @columns
// TEMPORARY: concrete_index.forall %k attributes {parallel = "temporary"} {
// ATOMICS-LABEL: @columns
// ATOMICS: concrete_index.forall %k attributes {parallel = "atomics"} {
func.func @columns(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %k {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%k, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
