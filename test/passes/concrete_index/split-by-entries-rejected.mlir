// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=32 tensor=A}' --verify-diagnostics

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A dense level above a list stores every coordinate: count the entries of the list instead.
func.func @dense(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-split] split: level 0 (i : dense) of 'A' stores every coordinate}}
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#list = #storage.format<(i) -> (i : compressed(nonordered))>
func.func @unordered(%A: tensor<?xf64, #list>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[illegal-split] split: entries of level 0 (i : compressed(nonordered)) of 'A' are not in order}}
    concrete_index.forall %i {
      %a = concrete_index.access %A[%i] : tensor<?xf64, #list>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

func.func @absent(%B: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[illegal-split] split: no operand 'A' has i as the indices of consecutive levels}}
    concrete_index.forall %i {
      %a = concrete_index.access %B[%i] : tensor<?xf64>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
func.func @above(%A: tensor<?x?xf64, #csc>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[illegal-split] split: loop j is inside, but 'A' has it on the level above}}
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csc>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#places = #storage.format<(i) -> (i floordiv 3 : compressed, i mod 3 : bitmap)>
// Blocks that store some of their elements have no common number of entries.
func.func @some_places(%A: tensor<?xf64, #places>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[illegal-split] split: entries of level 1 (i mod 3 : bitmap) of 'A' have no numbers}}
    concrete_index.forall %i {
      %a = concrete_index.access %A[%i] : tensor<?xf64, #places>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

#places = #storage.format<(i, j) -> (i floordiv 2 : compressed, j floordiv 3 : compressed, i mod 2 : compressed, j mod 3 : compressed)>
func.func @places_of_two(%A: tensor<?x?xf64, #places>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[illegal-split] split: level 2 (i mod 2 : compressed) of 'A' does not have every element of a block}}
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #places>
        concrete_index.assign add %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}
