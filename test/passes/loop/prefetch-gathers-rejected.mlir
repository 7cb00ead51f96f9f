// What needs no help, because the hardware sees it coming.
// RUN: irtensor-opt %s --split-input-file -p prefetch-gathers | filecheck %s

// Elements are read in order.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT: loop.prefetch
func.func @ordered(%x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %p = %lo to %hi {
    %v = loop.load %x[%p] : f64
    loop.store %v, %y[%p] : f64
  }
  func.return
}

// -----

// The coordinate says where to write, not where to read.
// CHECK-LABEL: func.func @scatter
// CHECK-NOT: loop.prefetch
func.func @scatter(%x: !loop.buffer<f64>, %crd: !loop.buffer<index>, %y: !loop.buffer<f64>, %lo: index, %hi: index) {
  loop.for %p = %lo to %hi {
    %i = loop.load %crd[%p] : index
    %v = loop.load %x[%p] : f64
    loop.store %v, %y[%i] : f64
  }
  func.return
}

// -----

// A guard that rarely holds: the entries ahead are hardly ever those that come next.
// CHECK-LABEL: func.func @guarded
// CHECK-NOT: loop.prefetch
// CHECK-LABEL: func.func @not_guarded
// CHECK: loop.prefetch
func.func @guarded(%x: !loop.buffer<f64>, %crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %c: i1, %n: index) {
  %zero = arith.constant 0.0 : f64
  %sum = loop.cell %zero : f64
  %outer = arith.constant 0 : index
  loop.for %k = %outer to %n {
    %lo = loop.load %pos[%k] : index
    %one = arith.constant 1 : index
    %next = arith.addi %k, %one : index
    %hi = loop.load %pos[%next] : index
    loop.if %c attributes {unlikely} {
      loop.for %p = %lo to %hi {
        %i = loop.load %crd[%p] : index
        %v = loop.load %x[%i] : f64
        %w = arith.cmpf ogt, %v, %zero : f64
        loop.if %w {
          loop.set %v, %sum : f64
        }
      }
    }
  }
  func.return
}

func.func @not_guarded(%x: !loop.buffer<f64>, %crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %c: i1, %n: index) {
  %zero = arith.constant 0.0 : f64
  %sum = loop.cell %zero : f64
  %outer = arith.constant 0 : index
  loop.for %k = %outer to %n {
    %lo = loop.load %pos[%k] : index
    %one = arith.constant 1 : index
    %next = arith.addi %k, %one : index
    %hi = loop.load %pos[%next] : index
    loop.if %c {
      loop.for %p = %lo to %hi {
        %i = loop.load %crd[%p] : index
        %v = loop.load %x[%i] : f64
        %w = arith.cmpf ogt, %v, %zero : f64
        loop.if %w {
          loop.set %v, %sum : f64
        }
      }
    }
  }
  func.return
}
