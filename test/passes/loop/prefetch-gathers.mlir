// RUN: irtensor-opt %s -p 'prefetch-gathers{distance=8}' | filecheck %s

// The coordinate eight entries ahead, also of rows to come, says which line is needed.
// CHECK-LABEL: func.func @scatter
func.func @scatter(%n: index, %pos: !loop.buffer<i32>, %crd: !loop.buffer<i32>, %a: !loop.buffer<f64>,
                   %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: loop.for %i
  loop.for %i = %zero to %n {
    %next = arith.addi %i, %one : index
    %begin32 = loop.load %pos[%i] : i32
    %begin = arith.index_cast %begin32 : i32 to index
    %end32 = loop.load %pos[%next] : i32
    %end = arith.index_cast %end32 : i32 to index
    // CHECK: [[ALL32:%.*]] = loop.load %pos[%n] : i32
    // CHECK-NEXT: [[ALL:%.*]] = arith.index_cast [[ALL32]]
    // CHECK: [[LAST:%.*]] = arith.subi [[ALL]]
    // CHECK: loop.for %p
    // CHECK: [[AHEAD:%.*]] = arith.minsi %{{.*}}, [[LAST]] : index
    // CHECK-NEXT: [[C32:%.*]] = loop.load %crd[[[AHEAD]]] : i32
    // CHECK-NEXT: [[C:%.*]] = arith.index_cast [[C32]]
    // CHECK-NEXT: loop.prefetch %y[[[C]]] : f64
    loop.for %p = %begin to %end {
      %c32 = loop.load %crd[%p] : i32
      %c = arith.index_cast %c32 : i32 to index
      %v = loop.load %a[%p] : f64
      %old = loop.load %y[%c] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%c] : f64
    }
  }
  func.return
}

// All lines of a row.
// CHECK-LABEL: func.func @rows
func.func @rows(%end: index, %n: index, %crd: !loop.buffer<i64>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  // CHECK: loop.for %p
  // CHECK: arith.muli %{{.*}}, %n : index
  // CHECK: loop.for %{{.*}} = %{{.*}} to
  // CHECK: loop.prefetch %x
  // CHECK: loop.for %k
  loop.for %p = %zero to %end {
    %c64 = loop.load %crd[%p] : i64
    %c = arith.index_cast %c64 : i64 to index
    %row = arith.muli %c, %n : index
    %s = loop.cell %none : f64
    loop.for %k = %zero to %n {
      %from = arith.addi %row, %k : index
      %v = loop.load %x[%from] : f64
      %old = loop.get %s : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %y[%p] : f64
  }
  func.return
}
