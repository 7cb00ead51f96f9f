// RUN: irtensor-opt -p 'parallelize{variable=i races=temporary}' --split-input-file --verify-diagnostics %s

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// Values stored without an operator cannot be combined.
func.func @last_stays(%A: tensor<?x?xf64, #coo>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #coo>
        // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: 'A' may store a coordinate of i several times, each an iteration that stores into 'r', and the last stored value stays}}
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

func.func @sparse(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %A[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: i does not index 'r', so that iterations store into the same component, and 'r' is not dense, but (i, j) -> (i : dense, j : compressed)}}
          concrete_index.assign add %p into %r[%k, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

algebra.operator @later(%a: f64, %b: f64) -> f64 attributes {associative} {
  algebra.yield %b : f64
}

func.func @ordered(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: i does not index 'r', so that iterations store into the same component, and its operator '@later' is not associative and commutative}}
        concrete_index.assign @later %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

algebra.operator @join(%a: f64, %b: f64) -> f64 attributes {associative, commutative} {
  %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
  algebra.yield %c : f64
}

func.func @no_identity(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        // expected-error @+1 {{[parallel-race] the loop over i cannot be parallel: i does not index 'r', so that iterations store into the same component, and its operator '@join' has no identity that a part could begin with}}
        concrete_index.assign @join %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
