// RUN: not irtensor-opt %s -p bound-maps 2>&1 | filecheck %s

func.func @rows(%n: index) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    %w = loop.index_map {level = "level 1 of 'w' (over k)"}
    loop.for %j = %zero to %n {
      %count = loop.map_count %w
      %slot, %present = loop.map_insert %count, %j into %w
      loop.if %present {
        %other, %there = loop.map_insert %j, %count into %w
      }
    }
  }
  func.return
}

// CHECK:      {{.*}}:6:10: error: [cuda-memory] a kernel cannot make memory while it runs, and how many pairs level 1 of 'w' (over k) holds is not known before: which ones come depends on what it holds already
// CHECK-NEXT:     %w = loop.index_map {level = "level 1 of 'w' (over k)"}
// CHECK-NEXT:          ^^^^^^^^^^^^^^
// CHECK-NEXT: help: compile it for target="cpu", or give the loops another order or a workspace of another format
