// RUN: irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},precompute{expression="x[i1] * x[i1]" variables=i0}' --verify-diagnostics
// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},precompute{expression="x[i1] * x[i1]" variables=i0}' 2>&1 | filecheck %s --check-prefix=INNER
// RUN: not irtensor-opt %s -p 'precompute{expression="x[i] * x[i]" variables=i producer=a,b}' 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},precompute{expression="x[i1] * x[i1]" variables=i1 producer=i0}' 2>&1 | filecheck %s --check-prefix=TAKEN
// RUN: not irtensor-opt %s -p 'precompute{expression="x[i] * x[i]" producer=a}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},reorder{order=i1,i0},precompute{expression="x[i1] * x[i1]" variables=i1}' 2>&1 | filecheck %s --check-prefix=PLACES
// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=8},precompute{expression="x[i1] * x[i1]" variables=i1},reorder{order=i1,i0}' 2>&1 | filecheck %s --check-prefix=AFTER

// After a reorder of its two loops, the inner one counts offsets, and the coordinate there has a name of its own.
// PLACES: [expression-not-found] precompute: no assignment computes 'x[i1] * x[i1]'
// PLACES: note: i1 counts offsets in blocks: the coordinates there are i
// What has room for one block does not hold all of them.
// AFTER: [illegal-reorder] reorder: loop i0 cannot go inside: 'w' would need a dimension for the blocks that this loop counts
// INNER: [illegal-precompute] precompute: the workspace of 'x[i1] * x[i1]' cannot have a dimension for i0, because the loop over i1 stays around both sides
// INNER: help: add i1, which runs over a block that i0 counts, to the variables
// COUNT: [bad-schedule-step] precompute: producer= has 2 names, and the workspace is over i
// COUNT: help: give one name for each variable of over=
// TAKEN: [bad-schedule-step] precompute: 'i0' is the name of another loop
// NONE: [bad-schedule-step] precompute: producer= has 1 names, and the workspace is over no variable

// Each coordinate of a block is stored by itself, so that the loop over them is needed on both sides.
func.func @squares(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      %p = algebra.apply mul(%a, %a) : (f64, f64) -> f64
      // expected-error @+1 {{[illegal-precompute] precompute: the workspace of 'x[i1] * x[i1]' cannot have a dimension for i0, because the loop over i1 stays around both sides}}
      concrete_index.assign %p into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
