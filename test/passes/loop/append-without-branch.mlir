// RUN: irtensor-opt %s -p append-without-branch | filecheck %s

// CHECK-LABEL: func.func @common
// CHECK: [[ONE:%.*]] = arith.constant 1 : index
// CHECK: [[ROOM:%.*]] = arith.addi %most, %{{.*}} : index
// CHECK-NEXT: loop.reserve %out, [[ROOM]] : f64
// CHECK-NOT: loop.if
// CHECK: [[Q:%.*]] = loop.get %count : index
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[[[Q]]] : f64
// CHECK-NEXT: [[MORE:%.*]] = arith.addi [[Q]], %{{.*}} : index
// CHECK: [[OLD:%.*]] = loop.get %count : index
// CHECK-NEXT: [[NEW:%.*]] = arith.select %{{.*}}, [[MORE]], [[OLD]] : index
// CHECK-NEXT: loop.set [[NEW]], %count : index
func.func @common(%most: index, %n: index, %a: !loop.buffer<f64>, %b: !loop.buffer<i64>, %k: i64,
                  %out: !loop.growable<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.cell %zero : index
  loop.reserve %out, %most : f64
  %vals = loop.data %out : f64
  loop.for %p = %zero to %n {
    %c = loop.load %b[%p] : i64
    %same = arith.cmpi eq, %c, %k : i64
    loop.if %same {
      %v = loop.load %a[%p] : f64
      %q = loop.get %count : index
      loop.store %v, %vals[%q] : f64
      %more = arith.addi %q, %one : index
      loop.set %more, %count : index
    }
  }
  %size = loop.get %count : index
  loop.set_size %out, %size : f64
  func.return
}

// Not an append: what stands there would be lost.
// CHECK-LABEL: func.func @replace
// CHECK: loop.if
func.func @replace(%n: index, %a: !loop.buffer<f64>, %b: !loop.buffer<i64>, %k: i64, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  loop.for %p = %zero to %n {
    %c = loop.load %b[%p] : i64
    %same = arith.cmpi eq, %c, %k : i64
    loop.if %same {
      %v = loop.load %a[%p] : f64
      loop.store %v, %y[%p] : f64
    }
  }
  func.return
}

// The other array may be shorter: nothing else is read at this place.
// CHECK-LABEL: func.func @elsewhere
// CHECK: loop.if
func.func @elsewhere(%most: index, %n: index, %a: !loop.buffer<f64>, %b: !loop.buffer<i64>, %k: i64,
                     %out: !loop.growable<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.cell %zero : index
  loop.reserve %out, %most : f64
  %vals = loop.data %out : f64
  loop.for %p = %zero to %n {
    %c = loop.load %b[%p] : i64
    %same = arith.cmpi eq, %c, %k : i64
    %at = arith.index_cast %c : i64 to index
    loop.if %same {
      %v = loop.load %a[%at] : f64
      %q = loop.get %count : index
      loop.store %v, %vals[%q] : f64
      %more = arith.addi %q, %one : index
      loop.set %more, %count : index
    }
  }
  func.return
}
