// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p match-blocks | filecheck %s

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
// Equal blocks agree, and a dense operand is read inside of blocks.
// CHECK-LABEL: func.func @agree
// CHECK-NOT: storage.converts
// CHECK:       concrete_index.access %A[%i, %j]
func.func @agree(%A: tensor<?x?xf64, #bcsr>, %B: tensor<?x?xf64, #bcsr>, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #bcsr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #bcsr>
        %c = concrete_index.access %x[%j] : tensor<?xf64>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        %t = algebra.apply mul(%s, %c) : (f64, f64) -> f64
        concrete_index.assign %t into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#two = #storage.format<(i) -> (i floordiv 2 : dense, i mod 2 : dense)>
#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Rows that are found by their number are found inside of blocks as well.
// CHECK-LABEL: func.func @located
// CHECK-NOT: storage.converts
// CHECK:       concrete_index.access %B[%i, %j]
func.func @located(%B: tensor<?x?xf64, #rows>) -> tensor<?xf64, #two> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #two> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #rows>
        concrete_index.assign add %b into %out[%i] : tensor<?xf64, #two>
      }
    }
  }
  func.return %y : tensor<?xf64, #two>
}
