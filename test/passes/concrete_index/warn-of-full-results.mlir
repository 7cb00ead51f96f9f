// RUN: irtensor-opt %s --split-input-file -p warn-of-full-results --verify-diagnostics

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A dense vector has an element in each column.
func.func @sum(%B: tensor<?x?xf64, #csr>, %c: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  // expected-warning @+1 {{every coordinate of 'A' gets an entry because of 'c'; a dense result takes less memory}}
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
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
// A factor that is not zero where nothing is stored.
func.func @factor(%B: tensor<?x?xf64, #csr>, %c: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  // expected-warning @+1 {{every coordinate of 'A' gets an entry because exp(B[i, j]) is 1.0 where 'B' stores nothing; where(B[i, j] != 0.0, ..., 0) keeps the entries, a dense result takes less memory}}
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %d = concrete_index.access %c[%j] : tensor<?xf64>
        %e = algebra.apply exp(%b) : (f64) -> f64
        %s = algebra.apply mul(%e, %d) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
// One entry of a list that is added up is in all elements of the result.
func.func @spread(%B: tensor<?x?xf64, #csr>, %z: tensor<?xf64, #list>) -> tensor<?x?xf64, #csr> {
  // expected-warning @+1 {{every coordinate of 'A' gets an entry because of z[k], which has none of its indices; a dense result takes less memory}}
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.where produce (%t) : tensor<f64> {
      concrete_index.forall %k {
        %0 = concrete_index.access %z[%k] : tensor<?xf64, #list>
        concrete_index.assign add %0 into %t[] : tensor<f64>
      }
    } consume (%u) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
          %d = concrete_index.access %u[] : tensor<f64>
          %s = algebra.apply add(%b, %d) : (f64, f64) -> f64
          concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}
