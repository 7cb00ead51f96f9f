// RUN: irtensor-opt %s --split-input-file -p split-blocked-dimensions --verify-diagnostics | filecheck %s

#two = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>
#four = #storage.format<(i) -> (i floordiv 4 : compressed, i mod 4 : dense)>
func.func @sizes(%a: tensor<?xf64, #two>, %b: tensor<?xf64, #four>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #two>
      // expected-error @+1 {{[block-mismatch] 'b', indexed by i, has blocks of 4, another of 2}}
      %1 = concrete_index.access %b[%i] : tensor<?xf64, #four>
      %s = algebra.apply add(%0, %1) : (f64, f64) -> f64
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#two = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>
#list = #storage.format<(i) -> (i : compressed)>
func.func @unblocked(%a: tensor<?xf64, #two>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64, #two>
      // expected-error @+1 {{[block-mismatch] 'b', indexed by i, stores it in a sparse level without blocks, another tensor in blocks of 2}}
      %1 = concrete_index.access %b[%i] : tensor<?xf64, #list>
      %s = algebra.apply add(%0, %1) : (f64, f64) -> f64
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
// Without blocks nothing is split.
// CHECK-LABEL: func.func @nothing
// CHECK: concrete_index.forall %i {
// CHECK-NEXT: concrete_index.access %b[%i]
// CHECK-NOT: concrete_index.let
func.func @nothing(%b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %1 = concrete_index.access %b[%i] : tensor<?xf64, #list>
      concrete_index.assign %1 into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// What is split already stays as it is.
#two = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>
// CHECK-LABEL: func.func @again
// CHECK: concrete_index.forall %io {
// CHECK-NEXT: concrete_index.forall %ii {
// CHECK-NEXT: concrete_index.access %a[%io, %ii]
func.func @again(%a: tensor<?xf64, #two>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %io {
      concrete_index.forall %ii {
        %0 = concrete_index.access %a[%io, %ii] : tensor<?xf64, #two>
        concrete_index.assign add %0 into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

// A single coordinate has no loop to split.
#two = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>
func.func @single(%a: tensor<?xf64, #two>, %x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      %0 = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.let %j = %i {
        // expected-error @+1 {{[wrong-stage] 'j', which indexes 'a', is bound by no forall}}
        %1 = concrete_index.access %a[%j] : tensor<?xf64, #two>
        concrete_index.assign add %1 into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}
