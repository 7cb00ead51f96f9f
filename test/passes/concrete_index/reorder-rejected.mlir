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
        // expected-error @+1 {{[illegal-reorder] reorder: loops i, k both reduce with 'f', which is not associative and commutative}}
        concrete_index.assign @f %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

// There is no loop over k.
builtin.module {
  func.func @no_such_loop(%x: tensor<?xf64>) -> tensor<?xf64> {
    %y = concrete_index.compute (%out) : tensor<?xf64> {
      // expected-error @+1 {{[no-such-loops] reorder: no directly nested foralls bind k, i}}
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
    func.return %y : tensor<?xf64>
  }
}

// -----

// A temporary of the outer loop lies between the loops.
builtin.module {
  func.func @between(%A: tensor<?x?xf64>) -> tensor<?xf64> {
    %y = concrete_index.compute (%out) : tensor<?xf64> {
      // expected-error @+1 {{[no-such-loops] reorder: no directly nested foralls bind k, i}}
      concrete_index.forall %i {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
            concrete_index.assign add %a into %t[] : tensor<f64>
          }
        } consume (%u) {
          %s = concrete_index.access %u[] : tensor<f64>
          concrete_index.assign %s into %out[%i] : tensor<?xf64>
        }
      }
    }
    func.return %y : tensor<?xf64>
  }
}
