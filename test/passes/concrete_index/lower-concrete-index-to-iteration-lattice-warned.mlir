// RUN: irtensor-opt %s -p lower-concrete-index-to-iteration-lattice --verify-diagnostics

// A broadcast sum stores something where B has no entry; a product does not.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
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

func.func @product(%B: tensor<?x?xf64, #csr>, %c: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %d = concrete_index.access %c[%j] : tensor<?xf64>
        %p = algebra.apply mul(%b, %d) : (f64, f64) -> f64
        concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}
