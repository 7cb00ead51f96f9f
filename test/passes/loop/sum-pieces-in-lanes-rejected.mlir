// RUN: irtensor-opt %s --split-input-file -p sum-pieces-in-lanes | filecheck %s

// A sum whose order counts, and one that each block has for itself.
// CHECK-LABEL: func.func @strict
// CHECK-NOT: vector
// CHECK: func.return
func.func @strict(%pos: !loop.buffer<index>, %ofs: !loop.buffer<index>, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %end = loop.load %pos[%i] : index
  loop.for %q = %begin to %end {
    %after = arith.addi %q, %one : index
    %first = loop.load %ofs[%q] : index
    %past = loop.load %ofs[%after] : index
    loop.for %p = %first to %past {
      %v = loop.load %a[%p] : f64
      %s = loop.get %t : f64
      %sum = arith.addf %s, %v : f64
      loop.set %sum, %t : f64
    }
  }
  loop.for %q = %begin to %end {
    %after = arith.addi %q, %one : index
    %u = loop.cell %zero : f64
    %first = loop.load %ofs[%q] : index
    %past = loop.load %ofs[%after] : index
    loop.for %p = %first to %past {
      %v = loop.load %a[%p] : f64
      %s = loop.get %u : f64
      %sum = arith.addf %s, %v fastmath<reassoc> : f64
      loop.set %sum, %u : f64
    }
    %all = loop.get %u : f64
    loop.store %all, %y[%q] : f64
  }
  func.return
}

// -----

// What blocks read by coordinates is left to other passes, and so is what else happens beside the blocks.
// CHECK-LABEL: func.func @others
// CHECK-NOT: vector
// CHECK: func.return
func.func @others(%pos: !loop.buffer<index>, %ofs: !loop.buffer<index>, %crd: !loop.buffer<index>, %a: !loop.buffer<f64>, %t: !loop.cell<f64>, %begin: index, %i: index) {
  %one = arith.constant 1 : index
  %end = loop.load %pos[%i] : index
  loop.for %q = %begin to %end {
    %after = arith.addi %q, %one : index
    %first = loop.load %ofs[%q] : index
    %past = loop.load %ofs[%after] : index
    loop.for %p = %first to %past {
      %c = loop.load %crd[%p] : index
      %v = loop.load %a[%c] : f64
      %s = loop.get %t : f64
      %sum = arith.addf %s, %v fastmath<reassoc> : f64
      loop.set %sum, %t : f64
    }
  }
  loop.for %q = %begin to %end {
    %after = arith.addi %q, %one : index
    %first = loop.load %ofs[%q] : index
    %past = loop.load %ofs[%after] : index
    %w = loop.load %a[%q] : f64
    loop.set %w, %t : f64
    loop.for %p = %first to %past {
      %v = loop.load %a[%p] : f64
      %s = loop.get %t : f64
      %sum = arith.addf %s, %v fastmath<reassoc> : f64
      loop.set %sum, %t : f64
    }
  }
  func.return
}
