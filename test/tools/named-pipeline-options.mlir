// Options of the passes in a named pipeline, in each spelling; options that there are not. Optional passes: asked-for-passes.mlir in test/pipelines.
// RUN: irtensor-opt %s -p 'index-notation-to-loop{lower-concrete-index-to-iteration-lattice.purpose=assemble}' | filecheck %s --check-prefix=INDEX
// RUN: irtensor-opt %s --index-notation-to-loop='lower-concrete-index-to-iteration-lattice.purpose="assemble" lower-looplets.max_cases=4' | filecheck %s --check-prefix=INDEX
// RUN: irtensor-opt %s --pass-pipeline='builtin.module(index-notation-to-loop{})' | filecheck %s --check-prefix=FUSED
// RUN: sh -c 'irtensor-opt %s -p "index-notation-to-loop{lower-looplets.max-cases=4 lower-looplets.gallop=true},cse" --dump-pass-pipeline 2>&1 >/dev/null' | filecheck %s --check-prefix=DUMP
// RUN: not irtensor-opt %s --loop-to-optimized='drain-sets.tile=3' 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: not irtensor-opt %s --concrete-index-to-loop='max-cases=3' 2>&1 | filecheck %s --check-prefix=SHORT
// RUN: not irtensor-opt %s --cpu-to-llvm='drain-sets.tile=3' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not irtensor-opt %s --loop-to-optimized='pack-strided-reads.tile=wide' 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not irtensor-opt %s -p 'loop-to-optimized pack-strided-reads' 2>&1 | filecheck %s --check-prefix=SYNTAX
// RUN: not irtensor-opt %s -p 'index-notation-to-loop{lower-concrete-index-to-iteration-lattice.purpose=index}' 2>&1 | filecheck %s --check-prefix=CHOICE

// INDEX: %C_crd1: !loop.growable
// INDEX-NOT: %C_vals
// FUSED: %C_vals
// DUMP: lower-looplets{max-points=3 max-cases=4 gallop=true},{{.*}},fold-repetitions,note-repetitions,cse)
// OTHER: error: [bad-pass-option] pipeline 'loop-to-optimized' has no option 'drain-sets.tile'
// OTHER-NEXT: help: its options are pack-strided-reads.tile
// SHORT: error: [bad-pass-option] pipeline 'concrete-index-to-loop' has no option 'max-cases'
// SHORT-NEXT: help: its options are lower-concrete-index-to-iteration-lattice.purpose, lower-looplets.gallop, lower-looplets.max-cases, lower-looplets.max-points
// NONE: error: [bad-pass-option] pipeline 'cpu-to-llvm' has no option 'drain-sets.tile'
// NONE-NEXT: help: it has no options
// VALUE: error: [bad-pass-option] pass 'pack-strided-reads': Incompatible types
// VALUE-NEXT: help: its options are tile (int)
// SYNTAX: error: [bad-pipeline] 'pack-strided-reads' is not a list of options in pass pipeline 'loop-to-optimized pack-strided-reads'
// CHOICE: error: [bad-pass-option] pass 'lower-concrete-index-to-iteration-lattice': purpose= is assemble or compute or fused, not 'index'
// CHOICE-NEXT: help: write one of them, or omit purpose= for fused
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @copy(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
    %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
    index_notation.yield %a : f64
  }
  func.return %C : tensor<?x?xf64, #csr>
}
