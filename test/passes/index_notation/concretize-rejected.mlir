// RUN: irtensor-opt %s --split-input-file -p concretize --verify-diagnostics

// A reduction starts from the identity of its operator, which subtraction does not have.
func.func @subtract(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    // expected-error @+1 {{[not-a-reduction] operator 'sub' cannot reduce: it is not associative with an identity}}
    %s = index_notation.reduce sub (%j) : f64 {
      %a = index_notation.access %x[%j] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

// A user's operator must say that it is associative.
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {identity = 0.0 : f64} {
  algebra.yield %a : f64
}
func.func @no_trait(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    // expected-error @+1 {{[not-a-reduction] operator '@f' cannot reduce}}
    %s = index_notation.reduce @f (%j) : f64 {
      %a = index_notation.access %x[%j] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

func.func @undeclared(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    // expected-error @+1 {{[unknown-operator] no algebra.operator @f is declared}}
    %s = index_notation.reduce @f (%j) : f64 {
      %a = index_notation.access %x[%j] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}
