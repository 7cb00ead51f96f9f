// Mistakes on the command line are errors of one form, with the way out, and exit code 1.
// RUN: not irtensor-opt %s --canonicalise 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not irtensor-opt %s --pass-pipeline='builtin.module(canonicalise)' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not irtensor-opt %s --pass-pipeline='builtin.module(canonicalize' 2>&1 | filecheck %s --check-prefix=PAREN
// RUN: not irtensor-opt %s -p canonicalize,,cse 2>&1 | filecheck %s --check-prefix=COMMA
// RUN: not irtensor-opt %s --cse=depth=3 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not irtensor-opt %s --scf-parallel-loop-tiling=sizes=3 2>&1 | filecheck %s --check-prefix=OPTIONS
// RUN: not irtensor-opt %s.absent 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not irtensor-opt %s --verify-each=perhaps 2>&1 | filecheck %s --check-prefix=BOOL
// RUN: not irtensor-opt %s --target=fortran 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not irtensor-opt %s --target=cuda-emulated 2>&1 | filecheck %s --check-prefix=EMULATED
// RUN: not irtensor-opt %s -o /dev/null/x 2>&1 | filecheck %s --check-prefix=WRITE

// FLAG: error: [bad-option] '--canonicalise' is neither an option nor a pass
// FLAG-NEXT: help: did you mean --canonicalize
// FLAG-NOT: Traceback
// NAME: error: [unknown-pass] 'canonicalise' is neither a pass nor a named pipeline
// NAME-NEXT: help: did you mean canonicalize
// PAREN: error: [bad-pipeline] missing ')' in pass pipeline 'builtin.module(canonicalize'
// COMMA: error: [bad-pipeline] a pass name is missing between commas in pass pipeline 'canonicalize,,cse'
// OPTION: error: [bad-pass-option] pass 'cse': Provided arguments ["depth"]
// OPTION-NEXT: help: it has no options
// OPTIONS: error: [bad-pass-option] pass 'scf-parallel-loop-tiling'
// OPTIONS-NEXT: help: its options are parallel-loop-tile-sizes (tuple[int, ...])
// FILE: error: [cannot-read] '{{.*}}.absent': No such file or directory
// BOOL: error: [bad-option] argument --verify-each: expected true or false, got 'perhaps'
// TARGET: error: [bad-option] unknown target 'fortran'
// TARGET-NEXT: help: targets are
// EMULATED: error: [bad-option] unknown target 'cuda-emulated'
// EMULATED-NEXT: help: targets are {{.*}}, ptx, which are languages; irtensor-run --target cuda-emulated runs a kernel there
// WRITE: error: [cannot-write] '/dev/null/x': Not a directory
