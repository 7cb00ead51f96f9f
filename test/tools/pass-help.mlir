// What the tool says about passes: all by stage, one with its contract, and the pipeline that runs.
// RUN: irtensor-opt --list-passes | filecheck %s --check-prefix=LIST
// RUN: irtensor-opt --help-pass lower-looplets | filecheck %s --check-prefix=PASS --strict-whitespace
// RUN: irtensor-opt --help-pass=poll-interrupts | filecheck %s --check-prefix=ASKED
// RUN: irtensor-opt --help-pass loop-to-optimized | filecheck %s --check-prefix=PIPELINE
// RUN: irtensor-opt --help-pass divide-fills | filecheck %s --check-prefix=NEEDS
// RUN: irtensor-opt --help-pass loop-to-cpu | filecheck %s --check-prefix=OPTIONAL
// RUN: irtensor-opt --help-pass scf-parallel-loop-tiling | filecheck %s --check-prefix=UPSTREAM
// RUN: not irtensor-opt --help-pass lower-looplet 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: sh -c 'irtensor-opt %s --loop-to-optimized --cse --dump-pass-pipeline 2>&1 >/dev/null' | filecheck %s --check-prefix=DUMP
// RUN: sh -c 'irtensor-opt %s -p "builtin.module(builtin.module(cse),map-wide-workspaces{huge=i,j})" --dump-pass-pipeline 2>&1 >/dev/null' | filecheck %s --check-prefix=NESTED

// LIST: irtensor passes:
// LIST: to concrete_index: Loops over index variables
// LIST-NEXT:   expand-regions {{ +}}Write out operators with regions or cases
// LIST-NEXT:   narrow-sums {{ +}}Sum factors over the indices
// LIST-NEXT:   separate-terms {{ +}}Take a sum of terms
// LIST-NEXT:   share-equal-sums {{ +}}Let a value be used
// LIST-NEXT:   concretize {{ +}}Turn every definition into loops
// LIST: within concrete_index, for schedules and on request
// LIST-NEXT:   reorder {{ +}}Put the foralls
// LIST: poll-interrupts {{ +}}Mark long loops {{.*}} (If asked for.)
// LIST: to llvm: The llvm dialect.
// LIST-NEXT:   lower-loop-to-llvm {{ +}}Lower loops
// LIST: in any stage
// LIST-NEXT:   verify-dominance {{ +}}Check
// LIST: named pipelines, each with its optional passes, which run where they are asked for in braces:
// LIST: index-notation-to-concrete-index {{ +}}{map-wide-workspaces parallelize-outermost}
// LIST: loop-to-parallel{{$}}
// LIST: xDSL passes:

// PASS: lower-looplets: Lower coiterates outermost first, each by the first rewrite of the priority list that applies.
// PASS: in pipelines:
// PASS-NEXT:   leads to loop
// PASS: accepts:
// PASS-NEXT:   iteration_lattice.coiterate
// PASS: leaves:
// PASS-NEXT:   iteration_lattice
// PASS: runs after:
// PASS-NEXT:   divide-merges: merges are rewritten into loops there, one after the other
// PASS: runs before:
// PASS-NEXT:   walk-equal-lists: merges are made there
// PASS-NEXT:   lower-iteration-lattice-to-loop: loops over looplets have to be lowered first
// PASS: options:
// PASS-NEXT:   max-points (int, default 3): The most combinations of phases that get a loop each.

// ASKED: leads to cpu, if asked for

// PIPELINE: loop-to-optimized: a named pipeline
// PIPELINE: passes: count-by-positions,fuse-equal-loops,keep-functions,split-off-functions,pack-strided-reads,skip-idle-loops,skip-unread-sums,skip-annihilated-loops,drain-sets,remove-overwritten-fills
// PIPELINE: options:
// PIPELINE-NEXT:   pack-strided-reads.tile (int, default 32):

// NEEDS: omitted from kernels:
// NEEDS-NEXT:   for one thread

// OPTIONAL: passes: count-by-positions,fuse-equal-loops,keep-functions,split-off-functions,pack-strided-reads,{{.*}},hint-loops{{$}}
// OPTIONAL: optional passes, asked for as in loop-to-cpu{poll-interrupts}:
// OPTIONAL-NEXT:   poll-interrupts: Mark long loops
// OPTIONAL: poll-interrupts.innermost (bool, default false)

// UPSTREAM: parallel-loop-tile-sizes (tuple[int, ...])

// UNKNOWN: error: [unknown-pass] 'lower-looplet' is neither a pass nor a named pipeline
// UNKNOWN-NEXT: help: did you mean lower-looplets

// DUMP: builtin.module(count-by-positions,fuse-equal-loops,keep-functions,split-off-functions,pack-strided-reads{tile=32},skip-idle-loops,skip-unread-sums,skip-annihilated-loops,drain-sets,remove-overwritten-fills,cse)
// NESTED: builtin.module(builtin.module(cse),map-wide-workspaces{huge="i","j" large})
func.func @nothing() {
  func.return
}
