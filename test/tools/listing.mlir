// RUN: irtensor-opt --help | filecheck %s --check-prefix=HELP
// RUN: irtensor-opt --show-dialects | filecheck %s --check-prefix=DIALECTS
// RUN: irtensor-opt --version | filecheck %s --check-prefix=VERSION
// RUN: env COLUMNS=100000 xdsl-opt --help | filecheck %s --check-prefix=XDSL

// HELP: usage: irtensor-opt [options] [passes] [input_file]
// HELP: --pass-pipeline
// HELP: irtensor passes:
// HELP: --verify-dominance {{ +}}Check that every operand's definition dominates its use.
// HELP: xDSL passes:
// HELP: --canonicalize
// DIALECTS: Available Dialects: {{.*}}algebra, {{.*}}arith, {{.*}}index_notation, {{.*}}storage,
// VERSION: irtensor-opt {{[0-9.]+}} (xdsl {{[^,]+}}, llvmlite {{[^,]+}})
// XDSL: verify-dominance
