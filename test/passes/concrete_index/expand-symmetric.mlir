// RUN: irtensor-opt %s --split-input-file -p expand-symmetric | filecheck %s

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// An entry stands for its mirror, unless it is on the diagonal. The argument is what is stored.
// CHECK-LABEL: func.func @matrix_times_vector
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.stored_part}, %x: tensor<?xf64>)
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   %a = concrete_index.access %A[%i, %j]
// CHECK-NEXT:   %b = concrete_index.access %x[%j]
// CHECK-NEXT:   %p = algebra.apply mul(%a, %b)
// CHECK-NEXT:   concrete_index.assign add %p into %out[%i]
// CHECK-NEXT:   [[C:%[a-z0-9_]+]] = algebra.apply ne(%i, %j) : (index, index) -> i1
// CHECK-NEXT:   concrete_index.if [[C]] {
// CHECK-NEXT:     %b_1 = concrete_index.access %x[%i]
// CHECK-NEXT:     %p_1 = algebra.apply mul(%a, %b_1)
// CHECK-NEXT:     concrete_index.assign add %p_1 into %out[%j]
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @matrix_times_vector(%A: tensor<?x?xf64, #sym>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : dense), symmetric>
// What an array has below the diagonal is skipped; where everything is stored, a sum with it may be read once as well.
// CHECK-LABEL: func.func @array
// CHECK:      concrete_index.forall %j {
// CHECK-NEXT:   [[D:%[a-z0-9_]+]] = algebra.apply le(%i, %j) : (index, index) -> i1
// CHECK-NEXT:   concrete_index.if [[D]] {
// CHECK-NEXT:     %a = concrete_index.access %A[%i, %j]
// CHECK-NEXT:     %b = concrete_index.access %B[%i, %j]
// CHECK-NEXT:     %s = algebra.apply add(%a, %b)
// CHECK-NEXT:     concrete_index.assign %s into %out[%i, %j]
// CHECK-NEXT:     [[C:%[a-z0-9_]+]] = algebra.apply ne(%i, %j) : (index, index) -> i1
// CHECK-NEXT:     concrete_index.if [[C]] {
// CHECK-NEXT:       %b_1 = concrete_index.access %B[%j, %i]
// CHECK-NEXT:       %s_1 = algebra.apply add(%a, %b_1)
// CHECK-NEXT:       concrete_index.assign %s_1 into %out[%j, %i]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @array(%A: tensor<?x?xf64, #sym>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#sym = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed), symmetric>
// Of six mirrors, each is taken where no other one is the same element: two where i and j differ, two where j and k do,
// one where all three do.
// CHECK-LABEL: func.func @three
// CHECK:      concrete_index.assign add %p into %out[%i]
// CHECK-NEXT: [[IJ:%[a-z0-9_]+]] = algebra.apply ne(%i, %j) : (index, index) -> i1
// CHECK-NEXT: [[JK:%[a-z0-9_]+]] = algebra.apply ne(%j, %k) : (index, index) -> i1
// CHECK-NEXT: concrete_index.if [[JK]] {
// CHECK-NEXT:   %b_1 = concrete_index.access %x[%k]
// CHECK-NEXT:   %p_1 = algebra.apply mul(%a, %b_1)
// CHECK-NEXT:   concrete_index.assign add %p_1 into %out[%i]
// CHECK-NEXT:   %b_2 = concrete_index.access %x[%i]
// CHECK-NEXT:   %p_2 = algebra.apply mul(%a, %b_2)
// CHECK-NEXT:   concrete_index.assign add %p_2 into %out[%k]
// CHECK-NEXT: }
// CHECK-NEXT: concrete_index.if [[IJ]] {
// CHECK-NEXT:   %b_3 = concrete_index.access %x[%i]
// CHECK-NEXT:   %p_3 = algebra.apply mul(%a, %b_3)
// CHECK-NEXT:   concrete_index.assign add %p_3 into %out[%j]
// CHECK-NEXT:   %b_4 = concrete_index.access %x[%k]
// CHECK-NEXT:   %p_4 = algebra.apply mul(%a, %b_4)
// CHECK-NEXT:   concrete_index.assign add %p_4 into %out[%j]
// CHECK-NEXT: }
// CHECK-NEXT: [[BOTH:%[a-z0-9_]+]] = algebra.apply and([[IJ]], [[JK]]) : (i1, i1) -> i1
// CHECK-NEXT: concrete_index.if [[BOTH]] {
// CHECK-NEXT:   %b_5 = concrete_index.access %x[%j]
// CHECK-NEXT:   %p_5 = algebra.apply mul(%a, %b_5)
// CHECK-NEXT:   concrete_index.assign add %p_5 into %out[%k]
// CHECK-NEXT: }
func.func @three(%A: tensor<?x?x?xf64, #sym>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64, #sym>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j, k) -> (j : dense, i : compressed, k : compressed), symmetric(i, k)>
// Only these two dimensions are exchanged.
// CHECK-LABEL: func.func @two_of_three
// CHECK:      concrete_index.assign add %a into %out[%i, %j]
// CHECK-NEXT: [[C:%[a-z0-9_]+]] = algebra.apply ne(%i, %k) : (index, index) -> i1
// CHECK-NEXT: concrete_index.if [[C]] {
// CHECK-NEXT:   concrete_index.assign add %a into %out[%k, %j]
// CHECK-NEXT: }
func.func @two_of_three(%A: tensor<?x?x?xf64, #sym>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64, #sym>
          concrete_index.assign add %a into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// Each definition reads an operand of its own.
// CHECK-LABEL: func.func @two_definitions
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.stored_part}, %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.stored_part})
func.func @two_definitions(%A: tensor<?x?xf64, #sym>, %B: tensor<?x?xf64, #sym>) -> (tensor<f64>, tensor<f64>) {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign add %a into %out[] : tensor<f64>
      }
    }
  }
  %z = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign add %b into %out[] : tensor<f64>
      }
    }
  }
  func.return %y, %z : tensor<f64>, tensor<f64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// Mirrors are of other elements of what is computed before: a number becomes a vector.
// CHECK-LABEL: func.func @for_further_use
func.func @for_further_use(%A: tensor<?x?xf64, #sym>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%u) {
        %v = concrete_index.access %u[] : tensor<f64>
        %w = concrete_index.access %b[%i] : tensor<?xf64>
        %s = algebra.apply sub(%w, %v) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
// CHECK:      concrete_index.where produce (%t) : tensor<?xf64
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.forall %j {
// CHECK-NEXT:       %a = concrete_index.access %A[%i, %j]
// CHECK-NEXT:       concrete_index.assign add %a into %t[%i]
// CHECK:            concrete_index.if
// CHECK-NEXT:         concrete_index.assign add %a into %t[%j]
// CHECK:      } consume (%u) {
// CHECK-NEXT:   concrete_index.forall %i

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// A mirror that adds the same to the same element is a multiple, whatever the order of its factors.
// CHECK-LABEL: func.func @quadratic
// CHECK:      %q = algebra.apply mul(%p, %c)
// CHECK-NEXT: [[C:%[a-z0-9_]+]] = algebra.apply ne(%i, %j) : (index, index) -> i1
// CHECK:      [[W:%[a-z0-9_]+]] = algebra.apply where([[C]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) : (i1, f64, f64) -> f64
// CHECK-NEXT: [[M:%[a-z0-9_]+]] = algebra.apply mul([[W]], %q)
// CHECK-NEXT: concrete_index.assign add [[M]] into %out[]
// CHECK-NOT:  concrete_index.if
func.func @quadratic(%A: tensor<?x?xf64, #sym>, %x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %c = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%b, %a) : (f64, f64) -> f64
        %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
        concrete_index.assign add %q into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// What combines by parity is stored again, and what is idempotent once.
// CHECK-LABEL: func.func @parity
// CHECK:      concrete_index.assign xor %a into %out[]
// CHECK-NEXT: concrete_index.if
// CHECK-NEXT:   concrete_index.assign xor %a into %out[]
// CHECK-LABEL: func.func @any_bit
// CHECK:      concrete_index.assign or %a into %out[]
// CHECK-NOT:  concrete_index.assign
func.func @parity(%A: tensor<?x?xi64, #sym>) -> tensor<i64> {
  %y = concrete_index.compute (%out) : tensor<i64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xi64, #sym>
        concrete_index.assign xor %a into %out[] : tensor<i64>
      }
    }
  }
  func.return %y : tensor<i64>
}

func.func @any_bit(%A: tensor<?x?xi64, #sym>) -> tensor<i64> {
  %y = concrete_index.compute (%out) : tensor<i64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xi64, #sym>
        concrete_index.assign or %a into %out[] : tensor<i64>
      }
    }
  }
  func.return %y : tensor<i64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// A number beside it in the same loops becomes a vector as well.
// CHECK-LABEL: func.func @second_temporary
// CHECK:      concrete_index.where produce (%r) : tensor<?xf64
// CHECK:        concrete_index.assign add %d into %r[%i]
// CHECK:      } consume (%s) {
// CHECK-NEXT:   concrete_index.where produce (%t) : tensor<?xf64
// CHECK:            concrete_index.assign add %a into %t[
// CHECK:            concrete_index.if
// CHECK-NEXT:         concrete_index.assign add %a into %t[
// CHECK:        } consume (%u) {
// CHECK-NEXT:     concrete_index.forall
func.func @second_temporary(%A: tensor<?x?xf64, #sym>, %D: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%r) : tensor<f64> {
        concrete_index.forall %k {
          %d = concrete_index.access %D[%i, %k] : tensor<?x?xf64>
          concrete_index.assign add %d into %r[] : tensor<f64>
        }
      } consume (%s) {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %j {
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %v = concrete_index.access %u[] : tensor<f64>
          %w = concrete_index.access %s[] : tensor<f64>
          %sum = algebra.apply add(%v, %w) : (f64, f64) -> f64
          concrete_index.assign %sum into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
