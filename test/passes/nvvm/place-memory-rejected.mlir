// Memory whose size is known only while a kernel runs.
// RUN: irtensor-opt %s --split-input-file --verify-diagnostics -p place-memory

func.func @found(%n: index, %x: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %s = loop.scratch : f64
    %m = loop.load %x[%i] : index
    // expected-error @+1 {{a kernel cannot make memory while it runs, and how much 's' needs is not known before: its size depends on data found while it runs}}
    loop.reserve %s, %m : f64
    %d = loop.data %s : f64
  }
  func.return
}

// -----

func.func @map(%n: index) {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{a kernel cannot make memory while it runs, and how many pairs 'm' holds is not known before: bound-maps, which counts them, did not run}}
  %m = loop.index_map
  func.return
}

// -----

func.func @lists(%n: index) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    // expected-error @+1 {{how much of a list is in use decides how long it is}}
    %s = loop.scratch : f64
    loop.reserve %s, %n : f64
    %d = loop.capacity %s : f64
  }
  func.return
}

// -----

// A size that is no larger for more pairs says nothing about how much is needed.
func.func @fewer(%n: index) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %m = loop.index_map for %n
    %s = loop.scratch : f64
    %count = loop.map_count %m
    %rest = arith.subi %n, %count : index
    // expected-error @+1 {{how much 's' needs is not known before: its size depends on data found while it runs}}
    loop.reserve %s, %rest : f64
    %d = loop.data %s : f64
  }
  func.return
}
