// RUN: irtensor-opt %s -p sum-each-iteration | filecheck %s

// CHECK-LABEL: func.func @two_loops
// CHECK:       loop.for %j
// CHECK:         [[ROW:%[a-z0-9_]+]] = arith.muli %j, %m
// CHECK-NEXT:    [[ZERO:%[a-z0-9_]+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:    [[OWN:%[a-z0-9_]+]] = loop.cell [[ZERO]] : f64
// CHECK-NEXT:    loop.for %k
// CHECK:           loop.get [[OWN]]
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      loop.set {{%[a-z0-9_]+}}, [[OWN]]
// CHECK-NEXT:    }
// CHECK-NEXT:    [[OLD:%[a-z0-9_]+]] = loop.get %t
// CHECK-NEXT:    [[PART:%[a-z0-9_]+]] = loop.get [[OWN]]
// CHECK-NEXT:    [[ALL:%[a-z0-9_]+]] = arith.addf [[OLD]], [[PART]] fastmath<reassoc,contract>
// CHECK-NEXT:    loop.set [[ALL]], %t
// CHECK-NEXT:  }
func.func @two_loops(%x: !loop.buffer<f64>, %n: index, %m: index, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %t = loop.cell %zero : f64
  loop.for %j = %c0 to %n {
    %row = arith.muli %j, %m : index
    loop.for %k = %c0 to %m {
      %at = arith.addi %row, %k : index
      %v = loop.load %x[%at] : f64
      %u = loop.get %t : f64
      %w = arith.addf %u, %v fastmath<reassoc,contract> : f64
      loop.set %w, %t : f64
    }
  }
  %r = loop.get %t : f64
  loop.store %r, %y[%c0] : f64
  func.return
}
