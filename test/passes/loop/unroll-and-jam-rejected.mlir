// RUN: irtensor-opt %s --split-input-file -p unroll-and-jam | filecheck %s

// Each block has rows of its own.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: loop.view
func.func @blocks(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %p, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}

// -----

// All rows are the same elements.
// CHECK-LABEL: func.func @same
// CHECK-NOT: loop.view
func.func @same(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %b : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}

// -----

// Where a row is, is read from memory.
// CHECK-LABEL: func.func @found
// CHECK-NOT: loop.view
func.func @found(%a: !loop.buffer<index>, %d: !loop.buffer<index>, %c: !loop.buffer<index>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %crd = loop.load %a[%i] : index
      %to = arith.muli %crd, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : index
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : index
          %v = arith.muli %va, %vd : index
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : index
          %new = arith.addi %old, %v : index
          loop.store %new, %c[%pc] : index
        }
      }
    }
  }
  func.return
}

// -----

// More rows than there are registers for.
// CHECK-LABEL: func.func @many
// CHECK-NOT: loop.view
func.func @many(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 16 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}

// -----

// How many rows there are at most is not known.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: loop.view
func.func @unknown(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %n, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}

// -----

// The loop over blocks reads what is summed.
// CHECK-LABEL: func.func @read
// CHECK-NOT: loop.view
func.func @read(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    %s = loop.load %c[%p] : f64
    loop.store %s, %a[%p] : f64
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}

// -----

// Vectors cannot do what a row does.
// CHECK-LABEL: func.func @function
// CHECK-NOT: loop.view
func.func private @f(f64) -> f64

func.func @function(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = func.call @f(%va) : (f64) -> f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}

// -----

// A block has two loops along rows.
// CHECK-LABEL: func.func @two
// CHECK-NOT: loop.view
func.func @two(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %d[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
        loop.for %g = %0 to %n {
          %pg = arith.addi %to, %g : index
          loop.store %va, %c[%pg] : f64
        }
      }
    }
  }
  func.return
}

// -----

// What a row reads is a view of the result.
// CHECK-LABEL: func.func @view
// CHECK: loop.view
// CHECK-NOT: loop.view
func.func @view(%a: !loop.buffer<f64>, %d: !loop.buffer<f64>, %c: !loop.buffer<f64>, %b: index, %left: index, %m: index, %n: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %rows = arith.minsi %2, %left : index
  %w = loop.view %c[%b] : f64
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %2 : index
    loop.for %i = %0 to %rows {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      %to = arith.muli %at, %m : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %from = arith.muli %j, %n : index
        loop.for %f = %0 to %n {
          %pd = arith.addi %from, %f : index
          %vd = loop.load %w[%pd] : f64
          %v = arith.mulf %va, %vd : f64
          %pc = arith.addi %to, %f : index
          %old = loop.load %c[%pc] : f64
          %new = arith.addf %old, %v : f64
          loop.store %new, %c[%pc] : f64
        }
      }
    }
  }
  func.return
}
