// RUN: irtensor-opt %s --split-input-file -p match-blocks | filecheck %s

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Blocks beside a list of coordinates are joined.
// CHECK-LABEL: func.func @joined
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>> {storage.converts = 0 : index}
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>)
func.func @joined(%A: tensor<?x?xf64, #bcsr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #bcsr>
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
        %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
#csc = #storage.format<(i, j) -> (j : dense, i : compressed)>
// A result decides: its operand, transposed here, takes its blocks.
// CHECK-LABEL: func.func @result
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (j floordiv 2 : dense, i floordiv 3 : compressed, j mod 2 : dense, i mod 3 : dense)>> {storage.converts = 0 : index}
func.func @result(%A: tensor<?x?xf64, #csc>) -> tensor<?x?xf64, #bcsr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #bcsr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #csc>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #bcsr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #bcsr>
}

// -----

#two = #storage.format<(i) -> (i floordiv 2 : dense, i mod 2 : dense)>
#rows = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// Of a variable that the result has in blocks and the operand in a list, with others beside it: a list of blocks.
// CHECK-LABEL: func.func @listed
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : compressed, i mod 2 : dense, j : compressed)>> {storage.converts = 0 : index}
func.func @listed(%B: tensor<?x?xf64, #rows>) -> tensor<?xf64, #two> {
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

// -----

#two = #storage.format<(i) -> (i floordiv 2 : dense, i mod 2 : dense)>
#coo = #storage.format<(i, j) -> (j : compressed(nonunique), i : singleton)>
#blocks = #storage.format<(i, j) -> (j floordiv 3 : dense, i floordiv 2 : compressed, j mod 3 : dense, i mod 2 : dense)>
// Blocks of j are joined because B has none, blocks of i agree; of tuples, no two entries stay in one block.
// CHECK-LABEL: func.func @some
// CHECK-SAME: %B: tensor<?x?xf64, #storage.format<(i, j) -> (j : compressed, i floordiv 2 : compressed, i mod 2 : dense)>> {storage.converts = 0 : index}
// CHECK-SAME: %C: tensor<?x?xf64, #storage.format<(i, j) -> (j : dense, i floordiv 2 : compressed, i mod 2 : dense)>> {storage.converts = 1 : index}
func.func @some(%B: tensor<?x?xf64, #coo>, %C: tensor<?x?xf64, #blocks>) -> tensor<?xf64, #two> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #two> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #coo>
        %c = concrete_index.access %C[%i, %j] : tensor<?x?xf64, #blocks>
        %s = algebra.apply mul(%b, %c) : (f64, f64) -> f64
        concrete_index.assign add %s into %out[%i] : tensor<?xf64, #two>
      }
    }
  }
  func.return %y : tensor<?xf64, #two>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
#rows = #storage.format<(i, j) -> (i : compressed, j : dense)>
// Rows are counted as they are stored, which is not in blocks.
// CHECK-LABEL: func.func @counted
// CHECK-SAME: %C: tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed, j : dense)>>, %C_converted: tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>> {storage.converts = 0 : index}
// CHECK:       concrete_index.entry_count %C[] levels 1
// CHECK:       concrete_index.access %C_converted[%i, %j]
func.func @counted(%C: tensor<?x?xf64, #rows>) -> tensor<?x?xf64, #bcsr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #bcsr> {
    %zero = arith.constant 0 : index
    %n = concrete_index.entry_count %C[] levels 1 : tensor<?x?xf64, #rows>
    concrete_index.forall %i from %zero to %n {
      concrete_index.forall %j {
        %c = concrete_index.access %C[%i, %j] : tensor<?x?xf64, #rows>
        concrete_index.assign %c into %out[%i, %j] : tensor<?x?xf64, #bcsr>
      }
    }
  }
  func.return %A : tensor<?x?xf64, #bcsr>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A block has a slot for each coordinate: where the operand has entries is read from a tensor of its own.
// CHECK-LABEL: func.func @pattern
// CHECK-SAME: %A: tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, {{.*}})>> {storage.converts = 0 : index}
// CHECK-SAME: %M: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// CHECK-SAME: %M_stored: tensor<?x?xi1, #storage.format<(i, j) -> (i floordiv 2 : dense, {{.*}})>> {storage.pattern, storage.converts = 1 : index}
// CHECK:      [[M:%.*]] = concrete_index.access %M_stored[%i, %j]
// CHECK-NOT:  stored(
// CHECK:      algebra.apply where([[M]], %a, %zero)
func.func @pattern(%A: tensor<?x?xf64, #csr>, %M: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #bcsr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #bcsr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %m = concrete_index.access %M[%i, %j] : tensor<?x?xf64, #csr>
        %s = algebra.apply stored(%m) : (f64) -> i1
        %zero = algebra.constant 0.0 : f64
        %v = algebra.apply where(%s, %a, %zero) : (i1, f64, f64) -> f64
        concrete_index.assign %v into %out[%i, %j] : tensor<?x?xf64, #bcsr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #bcsr>
}
