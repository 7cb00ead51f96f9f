// What loops over structured levels look like: bounds, and no comparisons in the loop.
// RUN: irtensor-opt %s --split-input-file --index-notation-to-loop | filecheck %s

// A point has no loop: one entry is there, or none.
// CHECK-LABEL: @point
// CHECK: loop.for %i = %{{.*}} to %A_n0
// CHECK-NOT: loop.for
// CHECK-NOT: loop.while
// CHECK: [[Q:%.*]] = loop.load %A_crd1[%i] : i64
// CHECK: [[C:%.*]] = arith.index_cast [[Q]]
// CHECK: [[E:%.*]] = arith.addi [[C]], %{{.*}} : index
// CHECK: arith.maxsi %{{.*}}, [[C]]
// CHECK: [[HAS:%.*]] = arith.cmpi slt, %{{.*}}, [[E]]
// CHECK: loop.if [[HAS]]
// CHECK: loop.load %x_vals
// CHECK-NOT: loop.for
// CHECK: loop.store
#point = #storage.format<(i, j) -> (i : dense, j : point)>
func.func @point(%A: tensor<?x?xf64, #point>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #point>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-LABEL: @band
// CHECK: loop.for %i = %{{.*}} to %A_n0
// CHECK: [[E:%.*]] = arith.index_cast %{{.*}}
// CHECK: [[LENGTH:%.*]] = arith.subi
// CHECK: [[B:%.*]] = arith.subi [[E]], [[LENGTH]] : index
// CHECK: [[START:%.*]] = arith.maxsi %{{.*}}, [[B]] : index
// CHECK-NOT: arith.cmpi
// CHECK: loop.for %j = [[START]] to [[E]] {
// CHECK-NEXT: [[POSITION:%.*]] = arith.addi %{{.*}}, %j : index
// CHECK-NEXT: loop.load %A_vals{{\[}}[[POSITION]]]
// CHECK-NEXT: loop.load %x_vals[%j]
// CHECK-NOT: arith.cmpi
// CHECK-NOT: loop.if
// CHECK: [[P:%.*]] = algebra.apply mul
// CHECK-NOT: arith.cmpi
// CHECK: loop.store
#band = #storage.format<(i, j) -> (i : dense, j : band)>
func.func @band(%A: tensor<?x?xf64, #band>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #band>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-LABEL: @ragged
// CHECK: loop.for %i = %{{.*}} to %A_n0
// CHECK: [[LENGTH:%.*]] = arith.subi
// CHECK-NEXT: loop.for %j = %{{.*}} to [[LENGTH]] {
// CHECK-NEXT: [[POSITION:%.*]] = arith.addi %{{.*}}, %j : index
// CHECK-NEXT: loop.load %A_vals{{\[}}[[POSITION]]]
// CHECK-NEXT: loop.load %x_vals[%j]
// CHECK-NOT: arith.cmpi
// CHECK-NOT: loop.if
// CHECK: [[P:%.*]] = algebra.apply mul
// CHECK-NOT: arith.cmpi
// CHECK: loop.store
#ragged = #storage.format<(i, j) -> (i : dense, j : ragged)>
func.func @ragged(%A: tensor<?x?xf64, #ragged>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #ragged>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// CHECK-LABEL: @interval
// CHECK: loop.for %i = %{{.*}} to %A_n0
// CHECK: [[A:%.*]] = loop.load %A_vals[%i]
// CHECK: [[B:%.*]] = arith.index_cast
// CHECK: [[E:%.*]] = arith.index_cast
// CHECK: [[START:%.*]] = arith.maxsi %{{.*}}, [[B]] : index
// CHECK-NEXT: loop.for %j = [[START]] to [[E]] {
// CHECK-NEXT: [[X:%.*]] = loop.load %x_vals[%j]
// CHECK-NEXT: algebra.apply mul([[A]], [[X]])
// CHECK-NOT: arith.cmpi
// CHECK-NOT: loop.if
// CHECK-NOT: arith.cmpi
// CHECK: loop.store
#interval = #storage.format<(i, j) -> (i : dense, j : interval)>
func.func @interval(%A: tensor<?x?xf64, #interval>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #interval>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}

// -----

// The loop over two bands is that over what both have.
// CHECK-LABEL: @two_bands
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-2: loop.for
// CHECK-NOT: arith.cmpi
// CHECK-NOT: loop.for
// CHECK-NOT: loop.if
// CHECK: func.return
#band = #storage.format<(i, j) -> (i : dense, j : band)>
func.func @two_bands(%A: tensor<?x?xf64, #band>, %B: tensor<?x?xf64, #band>) -> tensor<f64> {
  %s = index_notation.assign () : tensor<f64> {
    %0 = index_notation.reduce add (%i, %j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #band>
      %b = index_notation.access %B[%i, %j] : tensor<?x?xf64, #band>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %0 : f64
  }
  func.return %s : tensor<f64>
}
