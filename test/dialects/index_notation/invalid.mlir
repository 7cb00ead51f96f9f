// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

func.func @rank(%A: tensor<?x?xf64>) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    // expected-error @+1 {{the tensor has 2 dimensions, the access has 1 indices}}
    %a = index_notation.access %A[%i] : tensor<?x?xf64>
    index_notation.yield %a : f64
  }
  func.return
}

// -----

func.func @element(%x: tensor<?xf64>) {
  %y = index_notation.assign (%i) : tensor<?xf32> {
    // expected-error @+1 {{an access gives f64, not f32}}
    %a = "index_notation.access"(%x, %i) : (tensor<?xf64>, index) -> f32
    index_notation.yield %a : f32
  }
  func.return
}

// -----

func.func @not_a_tensor(%x: f64) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    // expected-error @+1 {{an access reads a tensor}}
    %a = index_notation.access %x[%i] : f64
    index_notation.yield %a : f64
  }
  func.return
}

// -----

// An index is bound by a region around the access; anything else has no extent.
func.func @free_index(%x: tensor<?xf64>, %n: index) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    // expected-error @+1 {{index 0 is not an index variable of an assign or reduce around the access}}
    %a = index_notation.access %x[%n] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return
}

// -----

func.func @result_rank(%x: tensor<?xf64>) {
  // expected-error @+1 {{the result has 2 dimensions, 1 index variables given}}
  %y = index_notation.assign (%i) : tensor<?x?xf64> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return
}

// -----

func.func @result_element(%x: tensor<?xf64>) {
  // expected-error @+1 {{the region yields f64, expected f32}}
  %y = index_notation.assign (%i) : tensor<?xf32> {
    %a = index_notation.access %x[%i] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return
}

// -----

func.func @reduced_element(%x: tensor<?xf64>) {
  %y = index_notation.assign () : tensor<f32> {
    // expected-error @+1 {{the region yields f64, expected f32}}
    %s = index_notation.reduce add (%i) : f32 {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f32
  }
  func.return
}

// -----

func.func @no_yield(%x: tensor<?xf64>) {
  // expected-error @+1 {{an index_notation.assign region ends in index_notation.yield}}
  %y = index_notation.assign (%i) : tensor<?xf64> {
    // expected-error @+1 {{is not a terminator}}
    %a = index_notation.access %x[%i] : tensor<?xf64>
  }
  func.return
}

// -----

func.func @variable_type() {
  // expected-error @+1 {{index variables have type index}}
  %y = "index_notation.assign"() ({
  ^bb0(%i: i64):
    %a = algebra.constant 1.0 : f64
    index_notation.yield %a : f64
  }) : () -> tensor<?xf64>
  func.return
}

// -----

// A variable is known only inside its reduction.
func.func @scope(%x: tensor<?xf64>) {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %x[%j] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    // expected-error @+1 {{value %j is used here, but not defined}}
    %b = index_notation.access %x[%j] : tensor<?xf64>
    index_notation.yield %b : f64
  }
  func.return
}

// -----

func.func @encoding(%x: tensor<?xf64, "sparse">) {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      // expected-error @+1 {{[unknown-encoding] tensor encoding "sparse" is not a #storage.format}}
      %a = index_notation.access %x[%i] : tensor<?xf64, "sparse">
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return
}

// -----

func.func @format_rank(%x: tensor<?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>) {
  %y = index_notation.assign () : tensor<f64> {
    %s = index_notation.reduce add (%i) : f64 {
      // expected-error @+1 {{a format of 2 dimensions cannot store a tensor of 1}}
      %a = index_notation.access %x[%i] : tensor<?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return
}

// -----

// What combines two values gives one of their type.
func.func @combine(%x: tensor<?xf64>) -> tensor<f64> {
  %y = index_notation.assign () : tensor<f64> {
    // expected-error @+1 {{'neg' takes 1 operands, got 2}}
    %s = index_notation.reduce neg (%i) : f64 {
      %a = index_notation.access %x[%i] : tensor<?xf64>
      index_notation.yield %a : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<f64>
}

// -----

func.func @no_term(%x: tensor<?xf64>) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    // expected-error @+1 {{a term has a factor other than 0}}
    %e = index_notation.affine 0 * %i + 1
    %a = index_notation.access %x[%e] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return
}

// -----

func.func @divisor(%x: tensor<?xf64>) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    // expected-error @+1 {{a coordinate is divided by a positive number, not 0}}
    %e = index_notation.affine %i + 1 floordiv 0
    %a = index_notation.access %x[%e] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return
}

// -----

func.func @truth(%x: tensor<?xf64>, %c: tensor<?xi1>) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %t = index_notation.access %c[%i] : tensor<?xi1>
    // expected-error @+1 {{a coordinate is not computed from truth values}}
    %e = index_notation.affine %t : i1
    %a = index_notation.access %x[%e] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return
}

// -----

func.func @dimension(%x: tensor<?xf64>) {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %e = index_notation.affine %i + 1
    // expected-error @+1 {{dimension 1 does not exist; the tensor has rank 1}}
    %c = index_notation.clamp %e, %x, 1 : tensor<?xf64>
    %a = index_notation.access %x[%c] : tensor<?xf64>
    index_notation.yield %a : f64
  }
  func.return
}
