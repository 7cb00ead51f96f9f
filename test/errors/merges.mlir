// RUN: not irtensor-opt %s -p 'merge{variable=i strategy=gallop}' 2>&1 | filecheck %s --check-prefix=UNION
// RUN: not irtensor-opt %s -p 'merge{variable=j strategy=gallop},lower-concrete-index-to-iteration-lattice' 2>&1 | filecheck %s --check-prefix=ONE

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
func.func @both(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %b0 = concrete_index.access %b[%i] : tensor<?xf64, #list>
      concrete_index.assign add %b0 into %out[%i] : tensor<?xf64>
      concrete_index.forall %j {
        %a0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %x0 = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a0, %x0) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// UNION:      {{.*}}:9:13: error: [illegal-merge] merge: loop i cannot gallop, because it also does something where 'b' has no entry: every entry of the others is visited anyway
// UNION-NEXT:         %b0 = concrete_index.access %b[%i] : tensor<?xf64, #list>
// UNION-NEXT:               ^^^^^^^^^^^^^^^^^^^^^
// UNION-NEXT: help: omit the step, or write merge(i, linear); products gallop, because each of their operands needs an entry

// ONE:      {{.*}}:11:7: error: [illegal-merge] merge: loop j cannot gallop, because it does not have two lists: level 1 (j : compressed) of 'A' is a list, level 0 (i : dense) of 'x' finds any coordinate at once
// ONE-NEXT:         concrete_index.forall %j {
// ONE-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// ONE-NEXT: {{.*}}:13:15: note: 'x' is read as (i) -> (i : dense)
// ONE-NEXT:           %x0 = concrete_index.access %x[%j] : tensor<?xf64>
// ONE-NEXT:                 ^^^^^^^^^^^^^^^^^^^^^
// ONE-NEXT: help: store 'x' with a compressed level for j, or omit the step, or write merge(j, linear)
