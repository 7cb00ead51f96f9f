// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p sink-sets | filecheck %s

// A cell that is read in the loop, that is set to several values, or to one of an iteration.
// CHECK-LABEL: func.func @cells(
// CHECK:       loop.for %p = %lo to %hi {
// CHECK-NEXT:    {{%.*}} = loop.get %read : i1
// CHECK-NEXT:    loop.store
// CHECK-NEXT:    loop.set %true, %read : i1
// CHECK-NEXT:    loop.set %true, %twice : i1
// CHECK-NEXT:    loop.set %false, %twice : i1
// CHECK-NEXT:    loop.set %p, %last : index
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return
func.func @cells(%lo: index, %hi: index, %y: !loop.buffer<i1>) {
  %true = algebra.constant true
  %false = algebra.constant false
  %read = loop.cell %false : i1
  %twice = loop.cell %false : i1
  %last = loop.cell %lo : index
  loop.for %p = %lo to %hi {
    %known = loop.get %read : i1
    loop.store %known, %y[%p] : i1
    loop.set %true, %read : i1
    loop.set %true, %twice : i1
    loop.set %false, %twice : i1
    loop.set %p, %last : index
  }
  func.return
}

// -----

// A condition that each iteration has for itself, and a parallel loop.
// CHECK-LABEL: func.func @conditions(
// CHECK:       loop.for %p = %lo to %hi {
// CHECK-NEXT:    {{%.*}} = loop.load
// CHECK-NEXT:    loop.if {{.*}} {
// CHECK-NEXT:      loop.set %true, %cell : i1
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  loop.for %p_1 = %lo to %hi attributes {parallel = "automatic"} {
// CHECK-NEXT:    loop.set %true, %cell : i1
// CHECK-NEXT:  }
func.func @conditions(%lo: index, %hi: index, %y: !loop.buffer<i1>) {
  %true = algebra.constant true
  %false = algebra.constant false
  %cell = loop.cell %false : i1
  loop.for %p = %lo to %hi {
    %here = loop.load %y[%p] : i1
    loop.if %here {
      loop.set %true, %cell : i1
    }
  }
  loop.for %p = %lo to %hi attributes {parallel = "automatic"} {
    loop.set %true, %cell : i1
  }
  func.return
}
