// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=0}' 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=j size=4}' 2>&1 | filecheck %s --check-prefix=NAME

#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>
func.func @blocked(%A: tensor<?x?xf64, #blocks>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #blocks>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// SIZE:      {{.*}}:7:5: error: [bad-schedule-step] split: size is 0
// SIZE-NEXT:       concrete_index.forall %i {
// SIZE-NEXT:       ^^^^^^^^^^^^^^^^^^^^^
// SIZE-NEXT: help: give a size from 1 to 2147483647

// NAME:      {{.*}}:7:5: error: [bad-schedule-step] split: 'j' is the name of another loop
// NAME-NEXT:       concrete_index.forall %i {
// NAME-NEXT:       ^^^^^^^^^^^^^^^^^^^^^
// NAME-NEXT: help: give each new loop a name of its own

// RUN: not irtensor-opt %s -p 'vectorize{variable=i width=4}' 2>&1 | filecheck %s --check-prefix=INNERMOST
// INNERMOST:      {{.*}}:9:14: error: [illegal-vectorize] vectorize: loop i is around loop j, and 'A' is stored in blocks, and its loops stay inside of these
// INNERMOST-NEXT:           %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #blocks>
// INNERMOST-NEXT:                ^^^^^^^^^^^^^^^^^^^^^
// INNERMOST-NEXT: {{.*}}:8:7: note: the loop over j
// INNERMOST-NEXT:         concrete_index.forall %j {
// INNERMOST-NEXT:         ^^^^^^^^^^^^^^^^^^^^^
// INNERMOST-NEXT: help: vectorize j, or say bound(j, n) before where it has a few iterations, which are then written out

// RUN: not irtensor-opt %s -p 'split{variable=i outer=i0 inner=i1 size=4 tensor=A}' 2>&1 | filecheck %s --check-prefix=ENTRIES
// ENTRIES:      {{.*}}:7:5: error: [illegal-split] split: level 0 (i floordiv 2 : dense) of 'A' stores every coordinate
// ENTRIES-NEXT:       concrete_index.forall %i {
// ENTRIES-NEXT:       ^^^^^^^^^^^^^^^^^^^^^
// ENTRIES-NEXT: help: fuse it with j, the loop inside, or omit tensor=
