// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="b[i]" variables=i reuse=true}' --verify-diagnostics

// There is nothing beside it to combine it with.
func.func @one_argument(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %y = concrete_index.access %c[%i] : tensor<?xf64>
      %s = algebra.apply exp(%x) : (f64) -> f64
      // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: the expression is not one of the two operands of the outermost operator}}
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %a : tensor<?xf64>
}

// -----

// It is both operands.
func.func @twice(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %y = concrete_index.access %c[%i] : tensor<?xf64>
      %s = algebra.apply add(%x, %x) : (f64, f64) -> f64
      // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: the expression is not one of the two operands of the outermost operator}}
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %a : tensor<?xf64>
}

// -----

// What the sum adds is a product of it.
func.func @below(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %y = concrete_index.access %c[%i] : tensor<?xf64>
      %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
      %s = algebra.apply add(%p, %y) : (f64, f64) -> f64
      // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: the expression lies under several operators}}
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %a : tensor<?xf64>
}

// -----

// The old value would be the left operand.
func.func @difference(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %y = concrete_index.access %c[%i] : tensor<?xf64>
      %s = algebra.apply sub(%y, %x) : (f64, f64) -> f64
      // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: it is the right operand of 'sub', which is not commutative}}
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %a : tensor<?xf64>
}

// -----

// An assignment needs an operator with an identity.
func.func @remainder(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %y = concrete_index.access %c[%i] : tensor<?xf64>
      %s = algebra.apply mod(%x, %y) : (f64, f64) -> f64
      // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: 'mod' is not an operator that assignments combine with}}
      concrete_index.assign %s into %out[%i] : tensor<?xf64>
    }
  }
  func.return %a : tensor<?xf64>
}

// -----

// The second sum would have to find the entries of the first.
func.func @appended(%b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64, #storage.format<(i) -> (i : compressed)>> {
  %a = concrete_index.compute (%out) : tensor<?xf64, #storage.format<(i) -> (i : compressed)>> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      %y = concrete_index.access %c[%i] : tensor<?xf64>
      %s = algebra.apply add(%x, %y) : (f64, f64) -> f64
      // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: its level 0 (i : compressed) is only appended to, so that an entry is never found again}}
      concrete_index.assign %s into %out[%i] : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
    }
  }
  func.return %a : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
}

// -----

// The workspace is the same for every k, and the result is not.
func.func @accumulated(%b: tensor<?xf64>, %c: tensor<?x?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %k {
      concrete_index.forall %i {
        %x = concrete_index.access %b[%i] : tensor<?xf64>
        %y = concrete_index.access %c[%k, %i] : tensor<?x?xf64>
        %s = algebra.apply add(%x, %y) : (f64, f64) -> f64
        // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: it is accumulated over a loop around the workspace, which starts anew in each iteration}}
        concrete_index.assign add %s into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %a : tensor<?xf64>
}

// -----

// There is one element of b for a whole row of the result.
func.func @rows(%b: tensor<?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %a = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %x = concrete_index.access %b[%i] : tensor<?xf64>
        %y = concrete_index.access %c[%i, %j] : tensor<?x?xf64>
        %s = algebra.apply add(%x, %y) : (f64, f64) -> f64
        // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: the workspace has no dimension for j, over which the result is stored}}
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %a : tensor<?x?xf64>
}

// -----

// Nothing is left to combine.
func.func @whole(%b: tensor<?xf64>) -> tensor<?xf64> {
  %a = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %x = concrete_index.access %b[%i] : tensor<?xf64>
      // expected-error @+1 {{[illegal-reuse] precompute: 'out' cannot be its own workspace: the expression is the whole right-hand side}}
      concrete_index.assign %x into %out[%i] : tensor<?xf64>
    }
  }
  func.return %a : tensor<?xf64>
}
