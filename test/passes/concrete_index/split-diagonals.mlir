// RUN: irtensor-opt %s --split-input-file -p split-diagonals | filecheck %s

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
// CHECK-LABEL: func.func @rows
func.func @rows(%A: tensor<?x?xf64, #dia>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dia>
        %1 = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
// CHECK:      [[N:%\d+]] = concrete_index.extent %A, 0
// CHECK-NEXT: [[M:%\d+]] = concrete_index.extent %A, 1
// CHECK:      [[FIRST:%\d+]] = arith.subi %{{\d+}}, [[N]] : index
// CHECK:      concrete_index.forall %d from [[FIRST]] to [[M]] {
// CHECK:        %lo = arith.maxsi
// CHECK:        [[LAST:%\d+]] = arith.subi [[M]], %d : index
// CHECK-NEXT:   %hi = arith.minsi [[N]], [[LAST]] : index
// CHECK-NEXT:   concrete_index.forall %i from %lo to %hi {
// CHECK-NEXT:     [[J:%\d+]] = arith.addi %i, %d : index
// CHECK-NEXT:     concrete_index.let %j = [[J]] {
// CHECK-NEXT:       concrete_index.access %A[%d, %i, %j]
// CHECK-NEXT:       concrete_index.access %x[%j]

// -----

#dia = #storage.format<(i, j) -> (j - i : compressed, j : range, i : offset)>
// Stored by column, it is the row that follows; another loop stays where it is.
// CHECK-LABEL: func.func @columns
func.func @columns(%A: tensor<?x?xf64, #dia>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dia>
          %1 = concrete_index.access %B[%j, %k] : tensor<?x?xf64>
          %p = algebra.apply mul(%0, %1) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}
// CHECK:      concrete_index.forall %d from
// CHECK:        concrete_index.forall %j from %lo to %hi {
// CHECK-NEXT:     concrete_index.forall %k {
// CHECK-NEXT:       [[I:%\d+]] = arith.subi %j, %d : index
// CHECK-NEXT:       concrete_index.let %i = [[I]] {
// CHECK-NEXT:         concrete_index.access %A[%d, %j, %i]

// -----

#dia = #storage.format<(i, j) -> (j - i : compressed, i : range, j : offset)>
// Other statements are between the loops: each row goes through the diagonals that cross it.
// CHECK-LABEL: func.func @between
func.func @between(%A: tensor<?x?xf64, #dia>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dia>
          concrete_index.assign add %0 into %t[] : tensor<f64>
        }
      } consume (%u) {
        %1 = concrete_index.access %u[] : tensor<f64>
        concrete_index.assign %1 into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
// CHECK:      concrete_index.forall %i {
// CHECK:        [[LO:%\w+]] = arith.subi %{{\d+}}, %i : index
// CHECK-NEXT:   [[HI:%\w+]] = arith.subi %{{\d+}}, %i : index
// CHECK-NEXT:   concrete_index.forall %d from [[LO]] to [[HI]] {
// CHECK-NEXT:     [[J:%\d+]] = arith.addi %i, %d : index
// CHECK-NEXT:     concrete_index.let %j = [[J]] {
// CHECK-NEXT:       concrete_index.access %A[%d, %i, %j]

// -----

#levels = #storage.format<(i, j, k) -> (j : dense, k - i : compressed, i : range, k : offset)>
// A loop directly inside may still go outside of the one over diagonals, as the format asks.
// CHECK-LABEL: func.func @loop_inside
func.func @loop_inside(%B: tensor<?x?x?xf64, #levels>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %0 = concrete_index.access %B[%i, %j, %k] : tensor<?x?x?xf64, #levels>
            concrete_index.assign mul %0 into %t[] : tensor<f64>
          }
        }
      } consume (%u) {
        %1 = concrete_index.access %u[] : tensor<f64>
        concrete_index.assign %1 into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
// CHECK:      concrete_index.forall %d from
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK-NEXT:     [[K:%\d+]] = arith.addi %i, %d : index
// CHECK-NEXT:     concrete_index.let %k = [[K]] {
// CHECK-NEXT:       concrete_index.access %B[%j, %d, %i, %k]
