// Passes in a wrong order are refused where the pipeline asks for them, before anything is read.
// RUN: sh -c 'irtensor-opt %s -p concretize,concordize,choose-loop-order 2>&1; echo exit $?' | filecheck %s --strict-whitespace --check-prefix=ORDER
// RUN: sh -c 'irtensor-opt %s -p "concrete-index-to-loop,reorder{order=i}" 2>&1; echo exit $?' | filecheck %s --strict-whitespace --check-prefix=GONE
// RUN: irtensor-opt %s -p concretize,concordize,choose-loop-order --verify-order=false | filecheck %s --check-prefix=RUNS
// RUN: irtensor-opt %s -p concordize,choose-loop-order,concordize,concretize,concretize | filecheck %s --check-prefix=RUNS

// ORDER: <pipeline>:1:23: error: [pass-order] 'choose-loop-order' has to run before 'concordize', not after it: accesses are fixed to the order of the loops
// ORDER-NEXT:   concretize,concordize,choose-loop-order
// ORDER-NEXT:                         ^^^^^^^^^^^^^^^^^
// ORDER-NEXT: help: move 'choose-loop-order' before 'concordize'
// ORDER-NEXT: exit 1

// GONE: <pipeline>:1:24: error: [pass-order] 'reorder' rewrites concrete_index, but 'lower-concrete-index-to-iteration-lattice' leaves none of that
// GONE-NEXT:   concrete-index-to-loop,reorder{order=i}
// GONE-NEXT:                          ^^^^^^^
// GONE-NEXT: help: move 'reorder' before 'lower-concrete-index-to-iteration-lattice'
// GONE-NEXT: exit 1

// RUNS: func.func @nothing
func.func @nothing() {
  func.return
}
