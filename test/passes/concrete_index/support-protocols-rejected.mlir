// RUN: irtensor-opt %s --split-input-file -p support-protocols | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// What can be read as is asked stays, and so does what says nothing, in whatever order the loops go.
// CHECK-LABEL: func.func @as_stored(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>, %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>) -> tensor<f64> {
func.func @as_stored(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<f64> {
  %s = concrete_index.compute (%s) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[locate %i, step %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %B[%j, %i] : tensor<?x?xf64, #csr>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %s[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

#columns = #storage.format<(i, j) -> (i : dense, j : dense)>

// What finds any coordinate is read in any order.
// CHECK-LABEL: func.func @found_anywhere(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : dense)>>) -> tensor<f64> {
func.func @found_anywhere(%A: tensor<?x?xf64, #columns>) -> tensor<f64> {
  %s = concrete_index.compute (%s) : tensor<f64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[locate %i, locate %j] : tensor<?x?xf64, #columns>
        concrete_index.assign add %a into %s[] : tensor<f64>
      }
    }
  }
  func.return %s : tensor<f64>
}

// -----

#row = #storage.format<(i) -> (i : accumulator)>
#list = #storage.format<(i) -> (i : compressed)>

// A temporary is no operand.
// CHECK-LABEL: func.func @temporary(%x: tensor<?xf64, #storage.format<(i) -> (i : compressed)>>) -> tensor<?xf64> {
// CHECK: produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
func.func @temporary(%x: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64, #row> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[step %i] : tensor<?xf64, #list>
        concrete_index.assign %a into %w[%i] : tensor<?xf64, #row>
      }
    } consume (%v) {
      concrete_index.forall %j {
        %a = concrete_index.access %v[locate %j] : tensor<?xf64, #row>
        concrete_index.assign %a into %y[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
