// Optional passes of named pipelines run where the braces ask for them, at their place in the order.
// RUN: irtensor-opt %s --index-notation-to-loop | filecheck %s --check-prefix=PLAIN
// RUN: irtensor-opt %s -p 'index-notation-to-loop{parallelize-outermost}' | filecheck %s --check-prefix=ASKED
// RUN: irtensor-opt %s --index-notation-to-loop=parallelize-outermost | filecheck %s --check-prefix=ASKED
// RUN: irtensor-opt %s --index-notation-to-loop='{parallelize_outermost}' | filecheck %s --check-prefix=ASKED
// RUN: sh -c 'irtensor-opt %s -p "loop-to-cpu{poll_interrupts.strip=16}" --dump-pass-pipeline 2>&1 >/dev/null' | filecheck %s --check-prefix=STRIP
// RUN: irtensor-opt %s --index-notation-to-concrete-index='parallelize-outermost' --concrete-index-to-loop | filecheck %s --check-prefix=ASKED
// RUN: sh -c 'irtensor-opt %s -p "index-notation-to-concrete-index{parallelize-outermost map-wide-workspaces},loop-to-cpu{poll-interrupts}" --dump-pass-pipeline 2>&1 >/dev/null' | filecheck %s --check-prefix=DUMP
// RUN: not irtensor-opt %s --index-notation-to-loop=poll-interrupts 2>&1 | filecheck %s --check-prefix=ELSEWHERE
// RUN: not irtensor-opt %s --index-notation-to-loop='concordize' 2>&1 | filecheck %s --check-prefix=ALWAYS
// RUN: not irtensor-opt %s --loop-to-optimized='drain' 2>&1 | filecheck %s --check-prefix=NONE

// PLAIN-NOT: parallel
// ASKED: loop.for %i {{.*}}parallel
// STRIP: poll-interrupts{{{.*}}strip=16{{.*}}}
// DUMP: concordize,ask-workspaces,map-wide-workspaces{huge large},leave-maps-unsorted,sort-operands,parallelize-outermost,count-by-positions,fuse-equal-loops,keep-functions,split-off-functions,pack-strided-reads{tile=32},
// DUMP-SAME: hint-loops,poll-interrupts{
// ELSEWHERE: error: [bad-pass-option] pipeline 'index-notation-to-loop' has no optional pass 'poll-interrupts'
// ELSEWHERE-NEXT: help: its optional passes are map-wide-workspaces, parallelize-outermost; all others run anyway
// ALWAYS: error: [bad-pass-option] pipeline 'index-notation-to-loop' has no optional pass 'concordize'
// NONE: error: [bad-pass-option] pipeline 'loop-to-optimized' has no optional pass 'drain'
// NONE-NEXT: help: all its passes run
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
