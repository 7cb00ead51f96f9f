// RUN: irtensor-opt %s --split-input-file -p 'accumulate-wide-unions{terms=2}' | filecheck %s

#a = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A term is there at every coordinate: so is the result, and nothing is merged.
// CHECK-LABEL: func.func @dense_term
// CHECK-NOT: concrete_index.where
func.func @dense_term(%A: tensor<?x?xf64, #a>, %B: tensor<?xf64>) -> tensor<?x?xf64, #a> {
  %C = concrete_index.compute (%C_1) : tensor<?x?xf64, #a> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #a>
        %b = concrete_index.access %B[%j] : tensor<?xf64>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %C_1[%i, %j] : tensor<?x?xf64, #a>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #a>
}

// -----

#a = #storage.format<(i, j) -> (i : dense, j : compressed)>

// An entry that one of the two lacks annihilates: there is less to do than to go through both.
// CHECK-LABEL: func.func @product
// CHECK-NOT: concrete_index.where
func.func @product(%A: tensor<?x?xf64, #a>, %B: tensor<?x?xf64, #a>) -> tensor<?x?xf64, #a> {
  %C = concrete_index.compute (%C_1) : tensor<?x?xf64, #a> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #a>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #a>
        %s = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %C_1[%i, %j] : tensor<?x?xf64, #a>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #a>
}

// -----

#a = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A difference is no chain of an operator with an identity on both sides.
// CHECK-LABEL: func.func @difference
// CHECK-NOT: concrete_index.where
func.func @difference(%A: tensor<?x?xf64, #a>, %B: tensor<?x?xf64, #a>) -> tensor<?x?xf64, #a> {
  %C = concrete_index.compute (%C_1) : tensor<?x?xf64, #a> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #a>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #a>
        %s = algebra.apply sub(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %C_1[%i, %j] : tensor<?x?xf64, #a>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #a>
}

// -----

#a = #storage.format<(i, j) -> (i : dense, j : compressed)>

// Where nothing is stored, the operands are 0, which is not what a minimum starts from.
// CHECK-LABEL: func.func @least
// CHECK-NOT: concrete_index.where
func.func @least(%A: tensor<?x?xf64, #a>, %B: tensor<?x?xf64, #a>) -> tensor<?x?xf64, #a> {
  %C = concrete_index.compute (%C_1) : tensor<?x?xf64, #a> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #a>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #a>
        %s = algebra.apply min(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %C_1[%i, %j] : tensor<?x?xf64, #a>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #a>
}

// -----

#a = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The result needs no appending.
// CHECK-LABEL: func.func @dense_result
// CHECK-NOT: concrete_index.where
func.func @dense_result(%A: tensor<?x?xf64, #a>, %B: tensor<?x?xf64, #a>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%C_1) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #a>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #a>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %C_1[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#a = #storage.format<(i, j) -> (i : compressed, j : compressed)>

// Rows without entries cost nothing in a merge; a workspace has the extent of all columns.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: concrete_index.where
func.func @few_rows(%A: tensor<?x?xf64, #a>, %B: tensor<?x?xf64, #a>) -> tensor<?x?xf64, #a> {
  %C = concrete_index.compute (%C_1) : tensor<?x?xf64, #a> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #a>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #a>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %C_1[%i, %j] : tensor<?x?xf64, #a>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #a>
}
