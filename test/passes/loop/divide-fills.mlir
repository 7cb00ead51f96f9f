// RUN: irtensor-opt --divide-fills %s | filecheck %s

// A slice per part, the last of which ends where the fill does.
// CHECK-LABEL: @result
// CHECK: [[LENGTH:%.*]] = arith.subi %n, %m : index
// CHECK: [[WORK:%.*]] = arith.divsi [[LENGTH]], %{{.*}} : index
// CHECK: %parts = loop.parts [[WORK]]
// CHECK: loop.parallel %part = %{{.*}} to %parts {
// CHECK: [[NEXT:%.*]] = arith.addi %part, %{{.*}} : index
// CHECK: [[A:%.*]] = arith.muli [[LENGTH]], %part : index
// CHECK: [[B:%.*]] = arith.divsi [[A]], %parts : index
// CHECK: [[C:%.*]] = arith.muli [[LENGTH]], [[NEXT]] : index
// CHECK: [[D:%.*]] = arith.divsi [[C]], %parts : index
// CHECK: [[FIRST:%.*]] = arith.addi %m, [[B]] : index
// CHECK: [[LAST:%.*]] = arith.addi %m, [[D]] : index
// CHECK: loop.fill %zero, %y[[[FIRST]] to [[LAST]]] : f64
// CHECK: }
// CHECK: loop.parallel %i
func.func @result(%m: index, %n: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  loop.fill %zero, %y[%m to %n] : f64
  loop.parallel %i = %c0 to %n {
    loop.store %one, %y[%i] : f64
  }
  func.return
}
