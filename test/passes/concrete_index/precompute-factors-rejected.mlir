// RUN: irtensor-opt %s --split-input-file -p 'precompute{expression="a[i] * c[i]" variables=i}' --verify-diagnostics

// Where each product is rounded as it is written, the factors of a part stand together.
func.func @in_order(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>) -> tensor<?xf64> attributes {algebra.keeps_order} {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %0 = concrete_index.access %a[%i] : tensor<?xf64>
      %1 = concrete_index.access %b[%i] : tensor<?xf64>
      %2 = concrete_index.access %c[%i] : tensor<?xf64>
      %3 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
      %4 = algebra.apply mul(%3, %2) : (f64, f64) -> f64
      // expected-error @+2 {{[illegal-precompute] precompute: 'a[i] * c[i]' would group the factors of a floating-point product otherwise than they are written, which is kept (strict_fp)}}
      // expected-note @+1 {{out is computed as (a[i] * b[i]) * c[i]}}
      concrete_index.assign %4 into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A product that is converted is not a factor of the product around it.
// expected-error @+1 {{[expression-not-found] precompute: no assignment computes 'a[i] * c[i]'}}
builtin.module {
  func.func @converted(%a: tensor<?xi32>, %b: tensor<?xi32>, %c: tensor<?xf64>) -> tensor<?xf64> {
    %y = concrete_index.compute (%out) : tensor<?xf64> {
      concrete_index.forall %i {
        %0 = concrete_index.access %a[%i] : tensor<?xi32>
        %1 = concrete_index.access %b[%i] : tensor<?xi32>
        %2 = concrete_index.access %c[%i] : tensor<?xf64>
        %3 = algebra.apply mul(%0, %1) : (i32, i32) -> i32
        %4 = algebra.cast %3 : i32 to f64
        %5 = algebra.apply mul(%4, %2) : (f64, f64) -> f64
        // expected-note @+1 {{out is computed as (a[i] * b[i]) * c[i]}}
        concrete_index.assign %5 into %out[%i] : tensor<?xf64>
      }
    }
    func.return %y : tensor<?xf64>
  }
}
