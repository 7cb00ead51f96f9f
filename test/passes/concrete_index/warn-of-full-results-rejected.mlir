// RUN: irtensor-opt %s --split-input-file -p warn-of-full-results --verify-diagnostics

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A product has entries where the matrix has some.
func.func @product(%B: tensor<?x?xf64, #csr>, %c: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %d = concrete_index.access %c[%j] : tensor<?xf64>
        %s = algebra.apply mul(%b, %d) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A dense result has an element at every coordinate anyway.
func.func @dense(%B: tensor<?x?xf64, #csr>, %c: tensor<?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %d = concrete_index.access %c[%j] : tensor<?xf64>
        %s = algebra.apply add(%b, %d) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Without sparse operands nothing says which entries there are.
func.func @dense_operands(%B: tensor<?x?xf64>, %c: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        %d = concrete_index.access %c[%j] : tensor<?xf64>
        %s = algebra.apply add(%b, %d) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
// An entry of a list is in one row.
func.func @row(%B: tensor<?x?xf64, #csr>, %c: tensor<?xf64, #list>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %d = concrete_index.access %c[%i] : tensor<?xf64, #list>
        %s = algebra.apply add(%b, %d) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}
