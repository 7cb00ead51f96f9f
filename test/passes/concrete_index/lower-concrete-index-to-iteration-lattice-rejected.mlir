// RUN: irtensor-opt %s --split-input-file -p lower-concrete-index-to-iteration-lattice --verify-diagnostics

// The loops bind j before k, D is stored the other way round: concordize has to run first.
func.func @discordant(%D: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %j {
      concrete_index.forall %k {
        // expected-error @+1 {{[discordant-access] level 1 (j : dense) of 'D' is bound by the loop over j, before the levels above it}}
        %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
        concrete_index.assign add %d into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A temporary is written in the order of the loops, which a list of coordinates does not take.
#list = #storage.format<(i) -> (i : compressed)>
func.func @workspace(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[unsupported-workspace] level 0 (i : compressed) of temporary 'w' is only appended to}}
    concrete_index.where produce (%w) : tensor<?xf64, #list> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %w[%i] : tensor<?xf64, #list>
      }
    } consume (%v) {
      concrete_index.forall %j {
        %a = concrete_index.access %v[%j] : tensor<?xf64, #list>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// How many slots a row has is known when all rows are.
#ell = #storage.format<(i) -> (i : padded)>
func.func @slots(%x: tensor<?xf64>) -> tensor<?xf64, #ell> {
  // expected-error @+1 {{[unwritable-level] level 0 (i : padded) of result 'y' has as many slots for each parent, a number that is known when all entries are}}
  %y = concrete_index.compute (%out) : tensor<?xf64, #ell> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64, #ell>
    }
  }
  func.return %y : tensor<?xf64, #ell>
}

// -----

// A loop over a variable that nothing indexes has no end.
func.func @extent(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[unknown-extent] nothing indexed by 'k' says how many coordinates it has}}
      concrete_index.forall %k {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign add %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

// One loop binds two levels: concordize gives the inner one a loop of its own.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @diagonal(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[discordant-access] the loops around it do not bind each level of 'A' once}}
      %a = concrete_index.access %A[%i, %i] : tensor<?x?xf64, #csr>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A combination starts from the operator's identity.
func.func @difference(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      // expected-error @+1 {{[not-a-reduction] operator 'sub' cannot reduce}}
      concrete_index.assign sub %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

func.func @temporary(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.where produce (%t) : tensor<f64> {
      concrete_index.forall %i {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        // expected-error @+1 {{[not-a-reduction] operator 'sub' cannot reduce}}
        concrete_index.assign sub %a into %t[] : tensor<f64>
      }
    } consume (%u) {
      %a = concrete_index.access %u[] : tensor<f64>
      concrete_index.assign %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

// Only results have storage.
func.func @kept(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  %s = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[unsupported-workspace] 'y' is computed by this function and not returned}}
      %a = concrete_index.access %y[%i] : tensor<?xf64>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// -----

// A sparse result is complete when the function ends.
#list = #storage.format<(i) -> (i : compressed)>
func.func @appended(%x: tensor<?xf64, #list>) -> (tensor<?xf64, #list>, tensor<f64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64, #list>
      concrete_index.assign %a into %out[%i] : tensor<?xf64, #list>
    }
  }
  %s = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[unsupported-workspace] 'y' is read in the function that computes it, and stored (i) -> (i : compressed)}}
      %a = concrete_index.access %y[%i] : tensor<?xf64, #list>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y, %s : tensor<?xf64, #list>, tensor<f64>
}

// -----

// Rows that are walked one after the other append the same coordinates again.
#list = #storage.format<(i) -> (i : compressed)>
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @out_of_order(%x: tensor<?x?xf64, #csr>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %x[%i, %j] : tensor<?x?xf64, #csr>
        // expected-error @+2 {{[output-needs-workspace] level 0 (i : compressed) of 'out' is written out of order by the loop over i: result 'out' is appended in order of j, so the loop over i goes inside}}
        // expected-note @+1 {{'out' is stored (i) -> (i : compressed)}}
        concrete_index.assign add %a into %out[%j] : tensor<?xf64, #list>
      }
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

// And so do two statements, one after the other: in the same rows, or each in all of them.
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @stored_twice(%x: tensor<?x?xf64, #csr>, %z: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %x[%i, %j] : tensor<?x?xf64, #csr>
        // expected-note @+1 {{the first store is here}}
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
      concrete_index.forall %k {
        %b = concrete_index.access %z[%i, %k] : tensor<?x?xf64, #csr>
        // expected-error @+1 {{[output-needs-workspace] 'out' is stored into by 2 statements, but level 1 (j : compressed) is appended to by one}}
        concrete_index.assign add %b into %out[%i, %k] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}

// -----

// Windows that cut blocks come back to each of the lists that lie between the blocks and the places in them.
#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j : dense, i mod 2 : compressed)>
func.func @cut_blocks(%x: tensor<4x?xf64, #blocks>) -> tensor<4x?xf64, #blocks> {
  %y = concrete_index.compute (%out) : tensor<4x?xf64, #blocks> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    concrete_index.forall %part from %zero to %four {
      %after = arith.addi %part, %one : index
      %io = arith.divsi %part, %two : index
      %io_after = arith.addi %io, %one : index
      concrete_index.forall %block from %io to %io_after {
        %start = arith.muli %block, %two : index
        %lo = arith.subi %part, %start : index
        %hi = arith.subi %after, %start : index
        concrete_index.forall %j {
          concrete_index.forall %place from %lo to %hi {
            %a = concrete_index.access %x[%block, %j, %place] : tensor<4x?xf64, #blocks>
            // expected-error @+2 {{[output-needs-workspace] level 2 (i mod 2 : compressed) of 'out' is written out of order by the loop over part: result 'out' is appended in order of j, so the loop over part goes inside}}
            // expected-note @+1 {{'out' is stored (i, j) -> (i floordiv 2 : dense, j : dense, i mod 2 : compressed)}}
            concrete_index.assign %a into %out[%block, %j, %place] : tensor<4x?xf64, #blocks>
          }
        }
      }
    }
  }
  func.return %y : tensor<4x?xf64, #blocks>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @located_list(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{[unsupported-protocol] level 1 (j : compressed) of 'A' is to be accessed by 'locate' over j, but its coordinates are only found by stepping to them}}
        %a = concrete_index.access %A[locate %i, locate %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @stepped_array(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      // expected-error @+1 {{[unsupported-protocol] level 0 (i : dense) of 'x' is to be accessed by 'step' over i, but it has no list of the coordinates that it stores}}
      %a = concrete_index.access %x[step %i] : tensor<?xf64>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
func.func @inserted_list(%x: tensor<?xf64, #list>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64, #list>
      // expected-error @+1 {{[unsupported-protocol] level 0 (i : compressed) of 'out' is to be accessed by 'insert' over i, but it is only appended to}}
      concrete_index.assign %a into %out[insert %i] : tensor<?xf64, #list>
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

// Whether a product is stored follows from its factors, in index notation.
func.func @stored_product(%a: tensor<?xf64, #storage.format<(i) -> (i : compressed)>>) -> tensor<?xi1> {
  %c = concrete_index.compute (%y) : tensor<?xi1> {
    concrete_index.forall %i {
      %x = concrete_index.access %a[%i] : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
      %p = algebra.apply mul(%x, %x) : (f64, f64) -> f64
      // expected-error @+1 {{[wrong-stage] the argument of 'stored' is not an access to a tensor}}
      %s = algebra.apply stored(%p) : (f64) -> i1
      concrete_index.assign %s into %y[%i] : tensor<?xi1>
    }
  }
  func.return %c : tensor<?xi1>
}

// -----

#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
// Entries stand for their mirrors: expand-symmetric has to run first.
func.func @mirrors(%A: tensor<?x?xf64, #sym>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // expected-error @+1 {{[wrong-stage] 'A' is stored (i, j) -> (i : dense, j : compressed), symmetric, and read without its mirrors}}
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #sym>
        concrete_index.assign add %a into %out[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

// A level that is only read: another format is written, and converted.
#ragged = #storage.format<(i, j) -> (i : dense, j : run_list)>
func.func @read_only(%x: tensor<?x?xf64>) -> tensor<?x?xf64, #ragged> {
  // expected-error @+1 {{[unwritable-level] level 1 (j : run_list) of result 'y' is of a format that loops read, and do not write}}
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #ragged> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %x[%i, %j] : tensor<?x?xf64>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #ragged>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #ragged>
}

// -----

// Stores say how large a temporary is.
func.func @nothing_stored() -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[unsupported-workspace] nothing is stored into temporary 'w'}}
    concrete_index.where produce (%w) : tensor<?xf64> {
    } consume (%v) {
      concrete_index.forall %i {
        %a = concrete_index.access %v[%i] : tensor<?xf64>
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
