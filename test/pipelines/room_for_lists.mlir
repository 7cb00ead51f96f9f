// Where results get the memory for what is appended: reservations and the loops around them.
// RUN: irtensor-opt %s --split-input-file -p index-notation-to-loop | grep -E 'func.func|loop\.(for|while|if|reserve)|else|^ *}' | filecheck %s

#format = #storage.format<(i, j, k) -> (i : dense, j : compressed, k : compressed)>
// Once for each row of both lists, since consecutive segments of an array are adjacent; not once for each fiber.
// CHECK-LABEL: func.func @sum(
// CHECK:      loop.for %i = {{.*}} {
// CHECK-NEXT:   loop.reserve %C_crd1
// CHECK-NEXT:   loop.reserve %C_pos2
// CHECK-NEXT:   loop.reserve %C_crd2
// CHECK-NEXT:   loop.reserve %C_vals
// CHECK-NEXT:   loop.while {
// CHECK-NOT:    loop.reserve
func.func @sum(%A: tensor<?x?x?xf64, #format>, %B: tensor<?x?x?xf64, #format>) -> tensor<?x?x?xf64, #format> {
  %C = index_notation.assign (%i, %j, %k) : tensor<?x?x?xf64, #format> {
    %0 = index_notation.access %A[%i, %j, %k] : tensor<?x?x?xf64, #format>
    %1 = index_notation.access %B[%i, %j, %k] : tensor<?x?x?xf64, #format>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %C : tensor<?x?x?xf64, #format>
}

// -----

#format = #storage.format<(i, j, k) -> (i : dense, j : compressed, k : compressed)>
// CHECK-LABEL: func.func @scaled(
// CHECK:      loop.for %i = {{.*}} {
// CHECK:        loop.reserve %C_vals
// CHECK-NEXT:   loop.for
// CHECK-NOT:    loop.reserve
func.func @scaled(%A: tensor<?x?x?xf64, #format>) -> tensor<?x?x?xf64, #format> {
  %C = index_notation.assign (%i, %j, %k) : tensor<?x?x?xf64, #format> {
    %0 = index_notation.access %A[%i, %j, %k] : tensor<?x?x?xf64, #format>
    %1 = algebra.apply add(%0, %0) : (f64, f64) -> f64
    index_notation.yield %1 : f64
  }
  func.return %C : tensor<?x?x?xf64, #format>
}

// -----

#format = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// Not for all rows of a matrix together, which would be as much as both operands have.
// CHECK-LABEL: func.func @matrices(
// CHECK:      loop.while {
// CHECK:        loop.reserve %C_crd1
// CHECK-NEXT:   loop.reserve %C_vals
func.func @matrices(%A: tensor<?x?xf64, #format>, %B: tensor<?x?xf64, #format>) -> tensor<?x?xf64, #format> {
  %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #format> {
    %0 = index_notation.access %A[%i, %j] : tensor<?x?xf64, #format>
    %1 = index_notation.access %B[%i, %j] : tensor<?x?xf64, #format>
    %2 = algebra.apply add(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %C : tensor<?x?xf64, #format>
}

// -----

#format0 = #storage.format<(i, j, k) -> (i : dense, j : compressed, k : compressed)>
#format1 = #storage.format<(j, k) -> (j : dense, k : compressed)>
// The rows of B that are merged with fibers of A lie apart, and may come again.
// CHECK-LABEL: func.func @apart(
// CHECK:      loop.for %i = {{.*}} {
// CHECK-NEXT:   loop.reserve %C_crd1
// CHECK-NEXT:   loop.reserve %C_pos2
// CHECK-NEXT:   loop.for %p = {{.*}} {
// CHECK-NEXT:     loop.reserve %C_crd2
// CHECK-NEXT:     loop.reserve %C_vals
func.func @apart(%A: tensor<?x?x?xf64, #format0>, %B: tensor<?x?xf64, #format1>) -> tensor<?x?x?xf64, #format0> {
  %C = index_notation.assign (%i, %j, %k) : tensor<?x?x?xf64, #format0> {
    %0 = index_notation.access %A[%i, %j, %k] : tensor<?x?x?xf64, #format0>
    %1 = index_notation.access %B[%j, %k] : tensor<?x?xf64, #format1>
    %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
    index_notation.yield %2 : f64
  }
  func.return %C : tensor<?x?x?xf64, #format0>
}
