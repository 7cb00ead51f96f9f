// RUN: irtensor-opt %s --split-input-file -p lower-concrete-index-to-iteration-lattice --verify-diagnostics

// The loops bind j before k, D is stored the other way round: concordize has to run first.
func.func @discordant(%D: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %k {
        // expected-error @+1 {{[discordant-access] level 1 of 'D' is bound before the levels above it}}
        %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
        concrete_index.assign add %d into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Temporaries with dimensions are not compiled yet.
func.func @workspace(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[unsupported-workspace] temporary 'w' has 1 dimensions; only scalars are compiled}}
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %w[%i] : tensor<?xf64>
      }
    } consume (%v) {
      concrete_index.forall %j {
        %a = concrete_index.access %v[%j] : tensor<?xf64>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A loop over a variable that nothing indexes has no end.
func.func @extent(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[unknown-extent] nothing indexed by 'k' says how many coordinates it has}}
      concrete_index.forall %k {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign add %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}
