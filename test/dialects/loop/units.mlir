// RUN: irtensor-opt %s | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

// A block reads what its threads share; each of its teams adds up a part of it, and one lane of the team stores the sum.
// CHECK-LABEL: func.func @sums
func.func @sums(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f64
  // CHECK: loop.parallel %b = %c0 to %n on blocks(128) {
  loop.parallel %b = %c0 to %n on blocks(128) {
    // CHECK-NEXT: [[SHARED:%.*]] = loop.shared 128 : f64
    %s = loop.shared 128 : f64
    // CHECK-NEXT: loop.parallel %t = %c0 to %c128 on threads {
    loop.parallel %t = %c0 to %c128 on threads {
      %v = loop.load %x[%t] : f64
      // CHECK: loop.store %{{.*}}, [[SHARED]][%t] : f64
      loop.store %v, %s[%t] : f64
    }
    // CHECK: loop.parallel %g = %c0 to %c4 on teams(32) {
    loop.parallel %g = %c0 to %c4 on teams(32) {
      // CHECK-NEXT: [[SUM:%.*]] = loop.cell
      %sum = loop.cell %zero : f64
      // CHECK-NEXT: loop.parallel %l = %c0 to %c32 on lanes attributes {busy} {
      loop.parallel %l = %c0 to %c32 on lanes attributes {busy} {
        %v = loop.load %s[%l] : f64
        // CHECK: loop.reduce %{{.*}} into [[SUM]] ([[A:%.*]]: f64, [[B:%.*]]: f64) {
        loop.reduce %v into %sum (%a: f64, %c: f64) {
          // CHECK-NEXT: [[D:%.*]] = arith.addf [[A]], [[B]] : f64
          %d = arith.addf %a, %c : f64
          // CHECK-NEXT: loop.yield [[D]] : f64
          loop.yield %d : f64
        }
      }
      %r = loop.get %sum : f64
      loop.store %r, %y[%g] : f64
    }
  }
  func.return
}

// Teams of one lane, threads that reduce into a cell of their block, and a condition that all threads of a block have.
// CHECK-LABEL: func.func @uniform
func.func @uniform(%n: index, %x: !loop.buffer<i32>, %y: !loop.buffer<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  loop.parallel %b = %c0 to %n on blocks(32) {
    %best = loop.cell %zero : i32
    %is_first = arith.cmpi eq, %b, %c0 : index
    loop.if %is_first {
      // CHECK: on threads
      loop.parallel %t = %c0 to %c32 on threads {
        %v = loop.load %x[%t] : i32
        // CHECK: loop.reduce
        loop.reduce %v into %best (%a: i32, %c: i32) {
          %d = arith.maxsi %a, %c : i32
          loop.yield %d : i32
        }
      }
    }
    // CHECK: on teams(1)
    loop.parallel %g = %c0 to %c32 on teams(1) {
      loop.for %i = %c0 to %n {
        // CHECK: on lanes
        loop.parallel %l = %c0 to %c1 on lanes {
        }
      }
    }
    %r = loop.get %best : i32
    loop.store %r, %y[%b] : i32
  }
  func.return
}
