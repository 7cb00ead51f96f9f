// RUN: irtensor-opt %s -p prefetch-rows | filecheck %s
// RUN: irtensor-opt %s -p 'prefetch-rows{lines=2}' | filecheck %s --check-prefix=FEW

// Old values are read by rows, one between the gathers of two iterations: the next row is asked for first.
// CHECK-LABEL: func.func @old_values
// CHECK: loop.for %i =
// CHECK: [[NEXT:%[a-z0-9_]+]] = arith.addi %i
// CHECK-NEXT: arith.muli [[NEXT]], %n
// CHECK-NEXT: [[ROW:%[a-z0-9_]+]] = arith.addi
// CHECK: arith.divsi
// CHECK: arith.constant 16 : index
// CHECK: loop.for [[LINE:%[a-z0-9_]+]] =
// CHECK: [[OFFSET:%[a-z0-9_]+]] = arith.muli [[LINE]]
// CHECK: [[PLACE:%[a-z0-9_]+]] = arith.addi [[ROW]], [[OFFSET]]
// CHECK: loop.prefetch %C{{\[}}[[PLACE]]{{\]}} : f64
// CHECK: loop.for %p =
// CHECK: loop.prefetch %B
// FEW-LABEL: func.func @old_values
// FEW: arith.divsi
// FEW-NEXT: arith.constant 0 : index
// FEW-NEXT: arith.constant 2 : index
func.func @old_values(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %B: !loop.buffer<f64>, %C: !loop.buffer<f64>, %w: !loop.buffer<f64>, %R: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  loop.for %i = %0 to %m {
    %row = arith.muli %i, %n : index
    %lo = loop.load %pos[%i] : index
    %next = arith.addi %i, %1 : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : index
      %begin = arith.muli %j, %n : index
      loop.prefetch %B[%begin] : f64
      loop.for %f = %0 to %n {
        %place = arith.addi %begin, %f : index
        %b = loop.load %B[%place] : f64
        loop.store %b, %w[%f] : f64
      }
    }
    loop.for %f = %0 to %n {
      %place = arith.addi %row, %f : index
      %old = loop.load %C[%place] : f64
      %sum = loop.load %w[%f] : f64
      %new = arith.addf %old, %sum : f64
      loop.store %new, %R[%place] : f64
    }
  }
  func.return
}

// The row of P is read again for each entry of row i: what is asked for is the row of the next i, and once.
// CHECK-LABEL: func.func @sampled_product
// CHECK: loop.for %i =
// CHECK: loop.prefetch %P
// CHECK: loop.for %p =
// CHECK-NOT: loop.prefetch %P
// CHECK: loop.prefetch %Q
// CHECK-NOT: loop.prefetch
func.func @sampled_product(%pos: !loop.buffer<index>, %crd: !loop.buffer<index>, %P: !loop.buffer<f64>, %Q: !loop.buffer<f64>, %R: !loop.buffer<f64>, %m: index, %n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.for %i = %0 to %m {
    %row = arith.muli %i, %n : index
    %lo = loop.load %pos[%i] : index
    %next = arith.addi %i, %1 : index
    %hi = loop.load %pos[%next] : index
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : index
      %begin = arith.muli %j, %n : index
      loop.prefetch %Q[%begin] : f64
      %sum = loop.cell %zero : f64
      loop.for %f = %0 to %n {
        %left = arith.addi %row, %f : index
        %a = loop.load %P[%left] : f64
        %right = arith.addi %begin, %f : index
        %b = loop.load %Q[%right] : f64
        %ab = arith.mulf %a, %b : f64
        %old = loop.get %sum : f64
        %new = arith.addf %old, %ab : f64
        loop.set %new, %sum : f64
      }
      %total = loop.get %sum : f64
      loop.store %total, %R[%p] : f64
    }
  }
  func.return
}

// A version of the loop that the whole call has reads by rows as well; a condition of the iteration says nothing of others.
// CHECK-LABEL: func.func @versions
// CHECK: loop.for %i =
// CHECK: loop.prefetch %C
// CHECK: loop.for %p =
// CHECK: loop.for %i_1 =
// CHECK-NEXT: muli
// CHECK-NOT: loop.prefetch %C
// CHECK: func.return
func.func @versions(%crd: !loop.buffer<index>, %B: !loop.buffer<f64>, %C: !loop.buffer<f64>, %w: !loop.buffer<f64>, %n: index) {
  %0 = arith.constant 0 : index
  %far = arith.cmpi sgt, %n, %0 : index
  loop.for %i = %0 to %n {
    %row = arith.muli %i, %n : index
    loop.if %far {
      loop.for %p = %0 to %n {
        %j = loop.load %crd[%p] : index
        loop.prefetch %B[%j] : f64
        loop.for %f = %0 to %n {
          %place = arith.addi %row, %f : index
          %b = loop.load %C[%place] : f64
          loop.store %b, %w[%f] : f64
        }
      }
    }
  }
  loop.for %i = %0 to %n {
    %row = arith.muli %i, %n : index
    %some = arith.cmpi sgt, %i, %0 : index
    loop.if %some {
      loop.for %p = %0 to %n {
        %j = loop.load %crd[%p] : index
        loop.prefetch %B[%j] : f64
        loop.for %f = %0 to %n {
          %place = arith.addi %row, %f : index
          %b = loop.load %C[%place] : f64
          loop.store %b, %w[%f] : f64
        }
      }
    }
  }
  func.return
}
