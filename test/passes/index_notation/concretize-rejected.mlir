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

// -----

// What a pass cannot reach is not left as it is: here below other operations, there behind a branch.
func.func @chosen(%c: i1, %x: tensor<?xf64>) -> tensor<?xf64> {
  %r = scf.if %c -> (tensor<?xf64>) {
    // expected-error @+1 {{[wrong-stage] concretize cannot lower 'index_notation.assign' here}}
    %y = index_notation.assign (%i) : tensor<?xf64> {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    scf.yield %y : tensor<?xf64>
  } else {
    scf.yield %x : tensor<?xf64>
  }
  func.return %r : tensor<?xf64>
}

// -----

func.func @jumps(%x: tensor<?xf64>) -> tensor<?xf64> {
  cf.br ^next
^next:
  // expected-error @+1 {{[wrong-stage] concretize cannot lower 'index_notation.assign' here}}
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return %y : tensor<?xf64>
}
