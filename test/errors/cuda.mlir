// RUN: not irtensor-opt %s -p place-memory 2>&1 | filecheck %s

func.func @rows(%n: index, %lengths: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %list = loop.scratch : f64
    %length = loop.load %lengths[%i] : index
    loop.reserve %list, %length : f64
    %data = loop.data %list : f64
  }
  func.return
}

// CHECK:      {{.*}}:8:5: error: [cuda-memory] a kernel cannot make memory while it runs, and how much 'list' needs is not known before: its size depends on data found while it runs
// CHECK-NEXT:     loop.reserve %list, %length : f64
// CHECK-NEXT:     ^^^^^^^^^^^^
// CHECK-NEXT: help: compile it for target="cpu", or give the loops another order or a workspace of another format
