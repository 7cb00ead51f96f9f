// RUN: irtensor-opt -p 'parallelize{variable=j}' --split-input-file --verify-diagnostics %s
// RUN: not irtensor-opt -p 'parallelize{variable=j by=entries}' %s 2>&1 | filecheck %s --check-prefix=BY
// BY: error: [bad-pass-option] pass 'parallelize': by= is rows, not 'entries'
// BY-NEXT: help: team= lets several threads share a row; fuse(i, j, f); split(f, block, entry, 1000, tensor=A); parallelize(block, temporary) makes

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

func.func @reduction(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        // expected-error @+1 {{[parallel-race] the loop over j cannot be parallel: j does not index 'r', so that iterations store into the same component}}
        concrete_index.assign add %a into %r[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#coo = #storage.format<(i, j) -> (i : compressed(nonunique), j : singleton)>

// Several iterations may have the same coordinate.
func.func @repeated(%A: tensor<?x?xf64, #coo>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%j, %i] : tensor<?x?xf64, #coo>
        // expected-error @+1 {{[parallel-race] the loop over j cannot be parallel: 'A' may store a coordinate of j several times, each an iteration that stores into 'r'}}
        concrete_index.assign add %a into %r[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @twice(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i attributes {parallel = "none"} {
      // expected-error @+1 {{[parallel-nest] the loops over i and j cannot both be parallel}}
      concrete_index.forall %j {
        %a = concrete_index.access %x[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

#ws = #storage.format<(i) -> (i : accumulator)>

// A temporary outside of the loop is shared.
func.func @set(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64, #ws> {
      concrete_index.forall %j {
        %a = concrete_index.access %x[%j] : tensor<?xf64>
        // expected-error @+1 {{[parallel-race] the loop over j cannot be parallel: all iterations put entries into 'w'}}
        concrete_index.assign add %a into %w[%j] : tensor<?xf64, #ws>
      }
    } consume (%v) {
      concrete_index.forall %i {
        %b = concrete_index.access %v[%i] : tensor<?xf64, #ws>
        concrete_index.assign %b into %r[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// The number of a block is the same in several iterations; only with the offset in the block does it tell them apart.
func.func @block(%x: tensor<?xf64>, %z: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %j {
      %a = concrete_index.access %x[%j] : tensor<?xf64>
      %size = arith.constant 2 : index
      %number = arith.divsi %j, %size : index
      concrete_index.let %jo = %number {
        // expected-error @+1 {{[parallel-race] the loop over j cannot be parallel: j does not index 'r', so that iterations store into the same component}}
        concrete_index.assign add %a into %r[%jo] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// Two blocks of pairs of coordinates may share a row, whose end both would store.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @segments(%A: tensor<?x?xf64, #csr>, %n: index, %m: index) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64, #csr> {
    concrete_index.forall %j {
      %start = arith.muli %j, %n : index
      concrete_index.forall %i from %start to %m {
        concrete_index.forall %k from %start to %m {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          // expected-error @+1 {{[parallel-race] the loop over j cannot be parallel: an iteration may begin within a segment of level 1 (j : compressed) of 'r', which says where each ends}}
          concrete_index.assign %a into %r[%i, %k] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}
