// RUN: irtensor-opt --lower-private %s | filecheck %s

// A loop that was not divided needs no copies.
// CHECK-LABEL: @sequential
// CHECK-NOT: loop.scratch
// CHECK: [[ELEMENTS:%.*]] = loop.view %y[%n] : f64
// CHECK: loop.for %i
// CHECK: loop.load [[ELEMENTS]][%i] : f64
func.func @sequential(%n: index, %m: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %elements = loop.private add %y[%n to %m] : f64
  loop.for %i = %c0 to %n {
    %a = loop.load %x[%i] : f64
    %b = loop.load %elements[%i] : f64
    %c = algebra.apply add(%b, %a) : (f64, f64) -> f64
    loop.store %c, %elements[%i] : f64
  }
  func.return
}
