// RUN: irtensor-opt %s -p hoist-invariants,accumulate-in-registers | filecheck %s

// CHECK-NOT: vector

// The place depends on the loop around: nothing is updated twice.
func.func @scatter(%end: index, %n: index, %crd: !loop.buffer<i64>, %y: !loop.buffer<f64>, %v: f64) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %end {
    %c64 = loop.load %crd[%p] : i64
    %c = arith.index_cast %c64 : i64 to index
    %row = arith.muli %c, %n : index
    loop.for %j = %zero to %n {
      %to = arith.addi %row, %j : index
      %old = loop.load %y[%to] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%to] : f64
    }
  }
  func.return
}

// Another store in the nest, which an interchange would repeat at another time.
func.func @other_effect(%end: index, %n: index, %y: !loop.buffer<f64>, %z: !loop.buffer<f64>, %v: f64) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %end {
    loop.store %v, %z[%p] : f64
    loop.for %j = %zero to %n {
      %old = loop.load %y[%j] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}

// The updated memory is read elsewhere in the nest.
func.func @read_elsewhere(%end: index, %n: index, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %end {
    %v = loop.load %y[%p] : f64
    loop.for %j = %zero to %n {
      %old = loop.load %y[%j] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}

// Every second element.
func.func @strided(%end: index, %n: index, %y: !loop.buffer<f64>, %v: f64) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  loop.for %p = %zero to %end {
    loop.for %j = %zero to %n {
      %to = arith.muli %j, %two : index
      %old = loop.load %y[%to] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %y[%to] : f64
    }
  }
  func.return
}
