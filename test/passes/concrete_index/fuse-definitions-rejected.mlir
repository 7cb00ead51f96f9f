// RUN: irtensor-opt %s --split-input-file -p fuse-definitions | filecheck %s

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The second definition reads the first one.
// CHECK-LABEL: func.func @reads
// CHECK-COUNT-2: concrete_index.compute
func.func @reads(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = concrete_index.compute (%yo) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %yo[%i] : tensor<?xf64>
    }
  }
  %z = concrete_index.compute (%zo) : tensor<?xf64> {
    concrete_index.forall %j {
      %b = concrete_index.access %x[%j] : tensor<?xf64>
      %c = concrete_index.access %y[%j] : tensor<?xf64>
      %d = algebra.apply mul(%b, %c) : (f64, f64) -> f64
      concrete_index.assign %d into %zo[%j] : tensor<?xf64>
    }
  }
  func.return %y, %z : tensor<?xf64>, tensor<?xf64>
}

// -----

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>

// One loop visits the entries of A, the other one those of A and B.
// CHECK-LABEL: func.func @entries
// CHECK-COUNT-2: concrete_index.compute
func.func @entries(%A: tensor<?x?xf64, #rows>, %B: tensor<?x?xf64, #rows>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %y = concrete_index.compute (%yo) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #rows>
      concrete_index.assign %a into %yo[%i, %j] : tensor<?x?xf64>
    } }
  }
  %z = concrete_index.compute (%zo) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #rows>
      %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #rows>
      %d = algebra.apply add(%a, %b) : (f64, f64) -> f64
      concrete_index.assign %d into %zo[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y, %z : tensor<?x?xf64>, tensor<?x?xf64>
}

// -----

// Nothing says that the loops are as long as each other, and no tensor is read by both.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: concrete_index.compute
func.func @others(%x: tensor<?xf64>, %w: tensor<?xf64>) -> (tensor<f64>, tensor<f64>) {
  %y = concrete_index.compute (%yo) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign add %a into %yo[] : tensor<f64>
    }
  }
  %z = concrete_index.compute (%zo) : tensor<f64> {
    concrete_index.forall %j {
      %b = concrete_index.access %w[%j] : tensor<?xf64>
      concrete_index.assign add %b into %zo[] : tensor<f64>
    }
  }
  func.return %y, %z : tensor<f64>, tensor<f64>
}

// -----

// The second one has a loop along no dimension of the tensor that both read.
// CHECK-LABEL: func.func @deeper
// CHECK-COUNT-2: concrete_index.compute
func.func @deeper(%x: tensor<?xf64>, %A: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = concrete_index.compute (%yo) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %yo[%i] : tensor<?xf64>
    }
  }
  %z = concrete_index.compute (%zo) : tensor<?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
      %b = concrete_index.access %x[%i] : tensor<?xf64>
      %d = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      concrete_index.assign add %d into %zo[%i] : tensor<?xf64>
    } }
  }
  func.return %y, %z : tensor<?xf64>, tensor<?xf64>
}
