// What is converted in one place and not in another is stored as it is; a number of several types is no one value.
// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="B[i]" variables=i}' | filecheck %s
// RUN: not irtensor-opt %s --split-input-file -p 'precompute{expression="2"}' 2>&1 | filecheck %s --check-prefix=TYPES

// CHECK-LABEL: func.func @partly
// CHECK: concrete_index.where produce (%w) : tensor<?xi32> {
// CHECK: %[[W:[0-9]+]] = concrete_index.access %w_1[%i_1] : tensor<?xi32>
// CHECK: algebra.apply gt(%[[W]],
// CHECK: algebra.cast %[[W]] : i32 to f64
// TYPES: error: [illegal-precompute] precompute: '2' has several types where it is used: i32, f64
// TYPES: help: precompute a larger expression around one of them
func.func @partly(%B: tensor<?xi32>, %C: tensor<?xf64>) -> tensor<?xf64> {
  %A = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %b = concrete_index.access %B[%i] : tensor<?xi32>
      %two = algebra.constant 2 : i32
      %more = algebra.apply gt(%b, %two) : (i32, i32) -> i1
      %again = concrete_index.access %B[%i] : tensor<?xi32>
      %d = algebra.cast %again : i32 to f64
      %c = concrete_index.access %C[%i] : tensor<?xf64>
      %half = algebra.constant 2.0 : f64
      %e = algebra.apply div(%c, %half) : (f64, f64) -> f64
      %f = algebra.apply where(%more, %d, %e) : (i1, f64, f64) -> f64
      concrete_index.assign %f into %out[%i] : tensor<?xf64>
    }
  }
  func.return %A : tensor<?xf64>
}

// -----

// Converted wherever it is used, it is stored converted.
// CHECK-LABEL: func.func @wholly
// CHECK: concrete_index.where produce (%w) : tensor<?xf64> {
func.func @wholly(%B: tensor<?xi32>, %C: tensor<?xf64>) -> tensor<?xf64> {
  %A = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %b = concrete_index.access %B[%i] : tensor<?xi32>
      %d = algebra.cast %b : i32 to f64
      %c = concrete_index.access %C[%i] : tensor<?xf64>
      %e = algebra.apply mul(%c, %d) : (f64, f64) -> f64
      concrete_index.assign %e into %out[%i] : tensor<?xf64>
    }
  }
  func.return %A : tensor<?xf64>
}
