// What steps of a schedule report about loops, word for word.
// RUN: not irtensor-opt %s -p 'unroll{variable=m factor=2}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not irtensor-opt %s -p 'unroll{variable=j}' 2>&1 | filecheck %s --check-prefix=WHOLE
// RUN: not irtensor-opt %s -p 'bound{variable=j extent=100},unroll{variable=j}' 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not irtensor-opt %s -p 'unroll{variable=k factor=2},lower-concrete-index-to-iteration-lattice,lower-looplets' 2>&1 | filecheck %s --check-prefix=COUNTED
// RUN: not irtensor-opt %s -p 'vectorize{variable=k width=4},lower-concrete-index-to-iteration-lattice,lower-looplets' 2>&1 | filecheck %s --check-prefix=LISTS
// RUN: not irtensor-opt %s -p 'vectorize{variable=i width=4}' 2>&1 | filecheck %s --check-prefix=ROWS
// RUN: not irtensor-opt %s -p 'split{variable=j outer=j0 inner=j1 size=4},bound{variable=j1 extent=4}' 2>&1 | filecheck %s --check-prefix=BOUND
// RUN: not irtensor-opt %s -p 'pos{variable=i positions=ip tensor=A}' 2>&1 | filecheck %s --check-prefix=DENSE
// RUN: not irtensor-opt %s -p 'pos{variable=j positions=jp tensor=A indices="j","i"}' 2>&1 | filecheck %s --check-prefix=READ
// RUN: not irtensor-opt %s -p 'coord{positions=j variable=k}' 2>&1 | filecheck %s --check-prefix=COORD
// RUN: not irtensor-opt %s -p 'fuse{outer=j inner=k fused=f}' 2>&1 | filecheck %s --check-prefix=FUSED
// RUN: not irtensor-opt %s -p 'fuse{outer=i inner=j fused=f}' 2>&1 | filecheck %s --check-prefix=INSIDE
// RUN: not irtensor-opt %s -p 'split{variable=j outer=j0 inner=j1 size=4 tensor=b}' 2>&1 | filecheck %s --check-prefix=ENTRIES

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
func.func @steps(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %a: tensor<?xf64, #list>, %b: tensor<?xf64, #list>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a0 = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %x0 = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a0, %x0) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
      concrete_index.forall %k {
        %a1 = concrete_index.access %a[%k] : tensor<?xf64, #list>
        %b1 = concrete_index.access %b[%k] : tensor<?xf64, #list>
        %q = algebra.apply mul(%a1, %b1) : (f64, f64) -> f64
        concrete_index.assign add %q into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// NONE:      {{.*}}:20:5: error: [no-such-loops] unroll: no loop is over 'm'
// NONE-NEXT:       concrete_index.forall %i {
// NONE-NEXT:       ^^^^^^^^^^^^^^^^^^^^^
// NONE-NEXT: help: loops are over i, j, k

// WHOLE:      {{.*}}:21:7: error: [illegal-unroll] unroll: loop j cannot be written out as a whole, because it may have any number of iterations
// WHOLE-NEXT:         concrete_index.forall %j {
// WHOLE-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// WHOLE-NEXT: help: give a factor, as in unroll(j, 4), or say bound(j, n) before with an n up to 64, or split j into blocks of up to 64 and unroll the loop over one of them

// MANY:      {{.*}}:21:7: error: [illegal-unroll] unroll: loop j cannot be written out as a whole, because it has up to 100 iterations
// MANY-NEXT:         concrete_index.forall %j {
// MANY-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// MANY-NEXT: help: give a factor, as in unroll(j, 4), or say bound(j, n) before with an n up to 64, or split j into blocks of up to 64 and unroll the loop over one of them

// COUNTED:      {{.*}}:27:7: error: [illegal-unroll] unroll: loop k merges level 0 (i : compressed) of 'a' and level 0 (i : compressed) of 'b', so that the number of its iterations is not known before
// COUNTED-NEXT:         concrete_index.forall %k {
// COUNTED-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// COUNTED-NEXT: help: omit the step, unroll a loop over one list or over all coordinates, or store the operands dense in that dimension

// LISTS:      {{.*}}:27:7: error: [illegal-vectorize] vectorize: loop k merges level 0 (i : compressed) of 'a' and level 0 (i : compressed) of 'b', so that the number of its iterations is not known before
// LISTS-NEXT:         concrete_index.forall %k {
// LISTS-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// LISTS-NEXT: help: omit the step, vectorize a loop over one list or over all coordinates, or store the operands dense in that dimension

// ROWS:      {{.*}}:21:7: error: [illegal-vectorize] vectorize: loop i is around loop j, which stands next to other statements
// ROWS-NEXT:         concrete_index.forall %j {
// ROWS-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// ROWS-NEXT: {{.*}}:21:7: note: the loop over j
// ROWS-NEXT:         concrete_index.forall %j {
// ROWS-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// ROWS-NEXT: help: vectorize j{{$}}

// BOUND:      {{.*}}:21:7: error: [bad-schedule-step] bound: 'j1' goes over the blocks of j0, whose size says how many coordinates it has
// BOUND-NEXT:         concrete_index.forall %j {
// BOUND-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// BOUND-NEXT: help: bound a variable before it is split: with kind=multiple, all blocks of such a size are full

// DENSE:      {{.*}}:20:5: error: [illegal-split] pos: level 0 (i : dense) of 'A' stores every coordinate
// DENSE-NEXT:       concrete_index.forall %i {
// DENSE-NEXT:       ^^^^^^^^^^^^^^^^^^^^^
// DENSE-NEXT: help: omit the step

// READ:      {{.*}}:21:7: error: [illegal-split] pos: 'A[j, i]' is not read in loop j
// READ-NEXT:         concrete_index.forall %j {
// READ-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// READ-NEXT: help: read are A[i, j]

// COORD:      {{.*}}:21:7: error: [bad-schedule-step] coord: 'k' is the name of another loop
// COORD-NEXT:         concrete_index.forall %j {
// COORD-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// COORD-NEXT: help: give each new loop a name of its own

// FUSED:      {{.*}}:21:7: error: [no-such-loops] fuse: loop k is not directly inside of loop j
// FUSED-NEXT:         concrete_index.forall %j {
// FUSED-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// FUSED-NEXT: help: omit the step: other statements stand between loops j and k

// INSIDE:      {{.*}}:20:5: error: [no-such-loops] fuse: loop j is not directly inside of loop i
// INSIDE-NEXT:       concrete_index.forall %i {
// INSIDE-NEXT:       ^^^^^^^^^^^^^^^^^^^^^
// INSIDE-NEXT: help: omit the step: other statements stand between loops i and j

// ENTRIES:      {{.*}}:21:7: error: [illegal-split] split: no operand 'b' has j as the indices of consecutive levels
// ENTRIES-NEXT:         concrete_index.forall %j {
// ENTRIES-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// ENTRIES-NEXT: help: name A
