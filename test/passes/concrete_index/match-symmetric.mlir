// RUN: irtensor-opt %s --split-input-file -p match-symmetric | filecheck %s

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric, crd = i8>
// All reads of a converted operand are of one that has all entries, whose number narrow integers may not count.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index})
// CHECK-COUNT-2: concrete_index.access %A{{.*}} : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
func.func @twice(%A: tensor<?x?xf64, #sym>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #sym>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// Two symmetric operands are converted, as each is a list beside the other one.
// CHECK-LABEL: func.func @two
// CHECK-SAME: {storage.converts = 0 : index}, %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 1 : index})
func.func @two(%A: tensor<?x?xf64, #sym>, %B: tensor<?x?xf64, #sym>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #sym>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : dense), symmetric>
// Of two symmetric operands in one statement, the first is read for its mirrors.
// CHECK-LABEL: func.func @beside_another
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : dense), symmetric>>, %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : dense)>> {storage.converts = 1 : index})
func.func @beside_another(%A: tensor<?x?xf64, #sym>, %B: tensor<?x?xf64, #sym>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          concrete_index.forall %l {
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
            %b = concrete_index.access %B[%k, %l] : tensor<?x?xf64, #sym>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            concrete_index.assign max %p into %out[] : tensor<f64>
          }
        }
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// What is returned stays as it is, and loops read another argument.
// CHECK-LABEL: func.func @returned
// CHECK-SAME: symmetric>>, %A_converted: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index})
// CHECK: concrete_index.access %A_converted[%i, %j]
// CHECK: func.return %A, %y
func.func @returned(%A: tensor<?x?xf64, #sym>) -> (tensor<?x?xf64, #sym>, tensor<?x?xf64, #sym>) {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #sym> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #sym>
      }
    }
  }
  func.return %A, %y : tensor<?x?xf64, #sym>, tensor<?x?xf64, #sym>
}
