// RUN: irtensor-opt --lower-private %s | filecheck %s

// The first part has the elements themselves, each other part a copy that begins with the identity. Afterwards every
// part adds up a share of all of them.
// CHECK-LABEL: @columns
// CHECK: [[SCRATCH:%.*]] = loop.scratch : f64
// CHECK: [[PARTS:%.*]] = loop.parts %work each %n
// CHECK: [[ELEMENTS:%.*]] = loop.view %y[%c0] : f64
// CHECK: [[FURTHER:%.*]] = arith.subi [[PARTS]], %{{.*}}
// CHECK: [[SIZE:%.*]] = arith.muli [[FURTHER]], %n
// CHECK: loop.reserve [[SCRATCH]], [[SIZE]] : f64
// CHECK: [[COPIES:%.*]] = loop.data [[SCRATCH]] : f64
// CHECK: loop.parallel %part = %c0 to [[PARTS]] {
// CHECK: [[FIRST:%.*]] = arith.cmpi eq, %part
// CHECK: [[COPY:%.*]] = loop.view [[COPIES]]
// CHECK: %own = arith.select [[FIRST]], [[ELEMENTS]], [[COPY]]
// CHECK: loop.fill %{{.*}}, %own[%{{.*}} to %n] : f64
// CHECK: loop.load %own[%i] : f64
// CHECK: loop.store %{{.*}}, %own[%i] : f64
// CHECK: loop.parallel %{{.*}} = %c0 to [[PARTS]] {
// CHECK: loop.for %{{.*}} to [[FURTHER]] {
// CHECK: loop.for
// CHECK: algebra.apply add
// CHECK: loop.store %{{.*}}, [[ELEMENTS]]
func.func @columns(%n: index, %work: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %elements = loop.private add %y[%c0 to %n] : f64
  %parts = loop.parts %work
  loop.parallel %part = %c0 to %parts {
    loop.for %i = %c0 to %n {
      %a = loop.load %x[%i] : f64
      %b = loop.load %elements[%i] : f64
      %c = algebra.apply add(%b, %a) : (f64, f64) -> f64
      loop.store %c, %elements[%i] : f64
    }
  }
  func.return
}

// Two arrays: a part makes both ready.
// CHECK-LABEL: @two
// CHECK: [[BOTH:%.*]] = arith.addi %n, %n
// CHECK: loop.parts %n each [[BOTH]]
func.func @two(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %one = loop.private add %x[%c0 to %n] : f64
  %other = loop.private max %y[%c0 to %n] : i64
  %parts = loop.parts %n
  loop.parallel %part = %c0 to %parts {
    %a = loop.load %one[%part] : f64
    loop.store %a, %one[%part] : f64
    %b = loop.load %other[%part] : i64
    loop.store %b, %other[%part] : i64
  }
  func.return
}

// The number of elements is known after that of parts, which moves behind it.
// CHECK-LABEL: @known_late
// CHECK: [[SIZE:%.*]] = arith.muli %n, %n
// CHECK-NEXT: [[PARTS:%.*]] = loop.parts %n each [[SIZE]]
// CHECK: loop.parallel %part = %c0 to [[PARTS]] {
func.func @known_late(%n: index, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %parts = loop.parts %n
  %size = arith.muli %n, %n : index
  %own = loop.private add %x[%c0 to %size] : f64
  loop.parallel %part = %c0 to %parts {
    %a = loop.load %own[%part] : f64
    %b = algebra.apply add(%a, %a) : (f64, f64) -> f64
    loop.store %b, %own[%part] : f64
  }
  func.return
}

// Something else needs the number of parts before: parts are counted without regard to the elements.
// CHECK-LABEL: @needed_early
// CHECK: [[PARTS:%.*]] = loop.parts %n
// CHECK-NOT: each
// CHECK: loop.parallel %part = %c0 to [[PARTS]] {
func.func @needed_early(%n: index, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %parts = loop.parts %n
  %size = arith.muli %n, %parts : index
  %own = loop.private add %x[%c0 to %size] : f64
  loop.parallel %part = %c0 to %parts {
    %a = loop.load %own[%part] : f64
    %b = algebra.apply add(%a, %a) : (f64, f64) -> f64
    loop.store %b, %own[%part] : f64
  }
  func.return
}
