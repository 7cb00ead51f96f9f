// RUN: irtensor-opt -p 'assemble{tensor=y strategy=insert}' --split-input-file --verify-diagnostics %s
// RUN: not irtensor-opt -p 'assemble{tensor=y strategy=sort}' --split-input-file %s 2>&1 | filecheck %s --check-prefix=SORT
// SORT: [bad-pass-option] pass 'assemble': strategy= is append or insert, not 'sort'
// SORT-NEXT: help: write one of them, or omit strategy= for append

func.func @dense(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{[illegal-assemble] assemble: nothing is appended to 'y', which is stored (i) -> (i : dense)}}
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %r[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

func.func @unknown(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  // expected-error @+1 {{[bad-schedule-step] assemble: no statement computes 'y'}}
  %z = concrete_index.compute (%r) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign %a into %r[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %z : tensor<?x?xf64, #csr>
}
