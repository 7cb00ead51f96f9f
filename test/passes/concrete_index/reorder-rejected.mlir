// RUN: irtensor-opt %s --split-input-file -p 'reorder{order="k","i"}' --verify-diagnostics

// Both loops reduce, and the operator depends on the order of its operands.
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {associative, identity = 0.0 : f64} {
  algebra.yield %a : f64
}
func.func @order_matters(%A: tensor<?x?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
        // expected-error @+1 {{[illegal-reorder] reorder: loops i, k both reduce with '@f', which is not associative and commutative}}
        concrete_index.assign @f %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

// No loop is over k.
builtin.module {
  func.func @no_such_loop(%x: tensor<?xf64>) -> tensor<?xf64> {
    %y = concrete_index.compute (%out) : tensor<?xf64> {
      // expected-error @+1 {{[no-such-loops] reorder: no nest has loops over k, i}}
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
    func.return %y : tensor<?xf64>
  }
}

// -----

// They are on different sides of a temporary: neither is inside of the other.
builtin.module {
  func.func @sides(%A: tensor<?xf64>, %B: tensor<?xf64>) -> tensor<?xf64> {
    %y = concrete_index.compute (%out) : tensor<?xf64> {
      concrete_index.where produce (%t) : tensor<f64> {
        // expected-error @+1 {{[no-such-loops] reorder: no nest has loops over k, i}}
        concrete_index.forall %k {
          %a = concrete_index.access %A[%k] : tensor<?xf64>
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%u) {
        concrete_index.forall %i {
          %s = concrete_index.access %u[] : tensor<f64>
          concrete_index.assign %s into %out[%i] : tensor<?xf64>
        }
      }
    }
    func.return %y : tensor<?xf64>
  }
}

// -----

// Another statement stands beside the inner loop: the outer one is around both.
builtin.module {
  func.func @beside(%A: tensor<?x?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
    %y = concrete_index.compute (%out) : tensor<?xf64> {
      // expected-error @+1 {{[no-such-loops] reorder: no nest has loops over k, i}}
      concrete_index.forall %i {
        %s = concrete_index.access %b[%i] : tensor<?xf64>
        concrete_index.assign %s into %out[%i] : tensor<?xf64>
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
          concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        }
      }
    }
    func.return %y : tensor<?xf64>
  }
}

// -----

// Loops that are fused stay together.
func.func @fused(%A: tensor<?x?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i attributes {fused = "f"} {
      // expected-error @+1 {{[illegal-reorder] reorder: loop j cannot go inside: it would be one on each side of a temporary, and it is fused with others}}
      concrete_index.forall %j attributes {fused = "f"} {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%i, %j, %k] : tensor<?x?x?xf64>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

// The sum has one value for each block that i counts.
func.func @blocks(%A: tensor<?x?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %n = concrete_index.extent %A, 1 : tensor<?x?xf64>
    %half = arith.divsi %n, %two : index
    // expected-error @+1 {{[illegal-reorder] reorder: loop i cannot go inside: 't' would need a dimension for the blocks that this loop counts}}
    concrete_index.forall %i from %zero to %two {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %k {
          %lo = arith.muli %i, %half : index
          %hi = arith.addi %lo, %half : index
          concrete_index.forall %j from %lo to %hi {
            %a = concrete_index.access %A[%k, %j] : tensor<?x?xf64>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        }
      } consume (%u) {
        %s = concrete_index.access %u[] : tensor<f64>
        %p = algebra.apply mul(%s, %s) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

// A loop over a part of the coordinates stays inside the loop that selects the part, unless the part is a block.
func.func @window(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    %zero = arith.constant 0 : index
    %n = concrete_index.extent %A, 1 : tensor<?x?xf64>
    concrete_index.forall %i from %zero to %n {
      // expected-error @+1 {{[illegal-reorder] reorder: loop k runs over coordinates that loop i selects, so it stays inside of it}}
      concrete_index.forall %k from %zero to %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%j, %k] : tensor<?x?xf64>
          concrete_index.assign %a into %out[%j, %k] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
