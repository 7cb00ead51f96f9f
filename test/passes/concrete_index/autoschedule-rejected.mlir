// RUN: irtensor-opt %s --split-input-file -p 'autoschedule{budget=2000}' --verify-diagnostics

#row = #storage.format<(i) -> (i : accumulator)>

// A workspace that another step has made.
func.func @precomputed(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[bad-schedule-step] autoschedule: 'w' has dimensions, so that steps before have changed the definition}}
    concrete_index.where produce (%w) : tensor<?xf64, #row> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %w[%i] : tensor<?xf64, #row>
      }
    } consume (%v) {
      concrete_index.forall %j {
        %a = concrete_index.access %v[%j] : tensor<?xf64, #row>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A loop that another step has split.
func.func @window(%x: tensor<?xf64>, %lo: index, %hi: index) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{[no-asymptotic-cost] the asymptotic cost is not known of a loop over a part of a range}}
    concrete_index.forall %i from %lo to %hi {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

func.func @repeated(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[no-asymptotic-cost] the asymptotic cost is not known of a loop over 'k', which indexes nothing}}
      concrete_index.forall %k {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign add %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

func.func @sequence(%x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{[bad-schedule-step] autoschedule: statements are one after the other, so that steps before have changed the definition}}
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
      %b = concrete_index.access %z[%i] : tensor<?xf64>
      concrete_index.assign add %b into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
