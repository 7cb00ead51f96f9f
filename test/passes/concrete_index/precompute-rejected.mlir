// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="B[i,k] * C[k,j]" variables=j}' --verify-diagnostics

// The product is that of a difference.
// expected-error @+1 {{[expression-not-found] precompute: no assignment computes 'B[i, k] * C[k, j]'}}
builtin.module {
  func.func @not_found(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?x?xf64> {
    %A = concrete_index.compute (%out) : tensor<?x?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %e = concrete_index.access %d[%k] : tensor<?xf64>
            %p = algebra.apply sub(%b, %e) : (f64, f64) -> f64
            %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
            // expected-note @+1 {{out is computed as (B[i, k] - d[k]) * C[k, j]}}
            concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64>
          }
        }
      }
    }
    func.return %A : tensor<?x?xf64>
  }
}

// -----

// Two statements compute it.
builtin.module {
  func.func @ambiguous(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
    %A = concrete_index.compute (%out) : tensor<?x?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          concrete_index.forall %k {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            // expected-error @+2 {{[ambiguous-expression] precompute: 2 assignments compute 'B[i, k] * C[k, j]'}}
            // expected-note @+1 {{out is computed as B[i, k] * C[k, j]}}
            concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
          }
          concrete_index.forall %k {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %e = algebra.apply exp(%p) : (f64) -> f64
            // expected-note @+1 {{out is computed as exp(B[i, k] * C[k, j])}}
            concrete_index.assign add %e into %out[%i, %j] : tensor<?x?xf64>
          }
        }
      }
    }
    func.return %A : tensor<?x?xf64>
  }
}

// -----

// Before the sum over k, d is added to each product: sums do not distribute over sums.
builtin.module {
  func.func @sum(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?x?xf64> {
    %A = concrete_index.compute (%out) : tensor<?x?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %e = concrete_index.access %d[%j] : tensor<?xf64>
            %s = algebra.apply add(%p, %e) : (f64, f64) -> f64
            // expected-error @+1 {{[illegal-precompute] precompute: the loop over k would reduce 'B[i, k] * C[k, j]' with 'add' before 'add' is applied, which does not distribute over 'add'}}
            concrete_index.assign add %s into %out[%i, %j] : tensor<?x?xf64>
          }
        }
      }
    }
    func.return %A : tensor<?x?xf64>
  }
}

// -----

// The square of a sum is not the sum of the squares.
builtin.module {
  func.func @square(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
    %A = concrete_index.compute (%out) : tensor<?x?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %s = algebra.apply mul(%p, %p) : (f64, f64) -> f64
            // expected-error @+1 {{[illegal-precompute] precompute: the loop over k would reduce 'B[i, k] * C[k, j]' with 'add' before 'mul' is applied, both of whose arguments depend on it}}
            concrete_index.assign add %s into %out[%i, %j] : tensor<?x?xf64>
          }
        }
      }
    }
    func.return %A : tensor<?x?xf64>
  }
}

// -----

// The result of a conversion is not that of converting a sum.
builtin.module {
  func.func @converted(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %d: tensor<?xf64>) -> tensor<?x?xi64> {
    %A = concrete_index.compute (%out) : tensor<?x?xi64> {
      concrete_index.forall %i {
        concrete_index.forall %k {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %e = concrete_index.access %d[%j] : tensor<?xf64>
            %q = algebra.apply mul(%p, %e) : (f64, f64) -> f64
            %s = algebra.cast %q : f64 to i64
            // expected-error @+1 {{[illegal-precompute] precompute: the loop over k would reduce 'B[i, k] * C[k, j]' with 'add' before it is converted to i64}}
            concrete_index.assign add %s into %out[%i, %j] : tensor<?x?xi64>
          }
        }
      }
    }
    func.return %A : tensor<?x?xi64>
  }
}

// -----

// Both sides need the loop over k, which is inside of the one over j, and sums keep their order.
builtin.module {
  func.func @inside(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?xf64> attributes {algebra.keeps_order} {
    %A = concrete_index.compute (%out) : tensor<?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          concrete_index.forall %k {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
            %q = algebra.apply mul(%p, %d) : (f64, f64) -> f64
            // expected-error @+1 {{[illegal-precompute] precompute: the workspace of 'B[i, k] * C[k, j]' cannot have a dimension for j, because the loop over k stays around both sides}}
            concrete_index.assign add %q into %out[%i] : tensor<?xf64>
          }
        }
      }
    }
    func.return %A : tensor<?xf64>
  }
}

// -----

// Nothing binds j here: the names of index variables are those of the loops around the statement.
builtin.module {
  func.func @not_bound(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
    %A = concrete_index.compute (%out) : tensor<?x?xf64> {
      concrete_index.forall %i {
        concrete_index.let %j = %i {
          concrete_index.forall %k {
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64>
            %c = concrete_index.access %C[%k, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            // expected-error @+1 {{[illegal-precompute] precompute: no loop around the assignment binds j}}
            concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
          }
        }
      }
    }
    func.return %A : tensor<?x?xf64>
  }
}
