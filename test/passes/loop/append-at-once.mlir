// RUN: irtensor-opt %s --split-input-file -p append-at-once | filecheck %s

// The position of an entry is known from its iteration, and all entries are appended behind the loop.
// CHECK-LABEL: func.func @scaled(
// CHECK:       [[COUNT:%.*]] = loop.count %n
// CHECK-NEXT:  [[BASE:%.*]] = arith.subi [[COUNT]], %lo : index
// CHECK-NEXT:  [[DIFFERENCE:%.*]] = arith.subi %hi, %lo : index
// CHECK-NEXT:  [[ZERO:%.*]] = arith.constant 0 : index
// CHECK-NEXT:  [[ENTRIES:%.*]] = arith.maxsi [[DIFFERENCE]], [[ZERO]] : index
// CHECK-NEXT:  loop.for %p = %lo to %hi {
// CHECK-NEXT:    %x = loop.load %v[%p] : f64
// CHECK-NEXT:    %q = arith.addi [[BASE]], %p : index
// CHECK-NEXT:    loop.store %x, %y[%q] : f64
// CHECK-NEXT:  }
// CHECK-NEXT:  loop.append [[ENTRIES]] to %n
// CHECK-NEXT:  loop.close %pos[%lo] at %n : !loop.buffer<index>
func.func @scaled(%lo: index, %hi: index, %v: !loop.buffer<f64>, %y: !loop.buffer<f64>, %pos: !loop.buffer<index>) {
  %c1 = arith.constant 1 : index
  %n = loop.counter
  loop.for %p = %lo to %hi {
    %x = loop.load %v[%p] : f64
    %q = loop.count %n
    loop.store %x, %y[%q] : f64
    loop.append %c1 to %n
  }
  loop.close %pos[%lo] at %n : !loop.buffer<index>
  func.return
}

// -----

// Loops that do nothing but append are gone.
// CHECK-LABEL: func.func @counted(
// CHECK-NOT:   loop.for
// CHECK:       [[EACH:%.*]] = arith.muli {{%.*}}, %e : index
// CHECK:       [[ALL:%.*]] = arith.muli {{%.*}}, [[EACH]] : index
// CHECK-NEXT:  loop.append [[ALL]] to %n
func.func @counted(%e: index, %m: index, %lo: index, %hi: index, %pos: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %n = loop.counter
  loop.for %p = %lo to %hi {
    loop.for %k = %c0 to %m {
      loop.append %e to %n
    }
  }
  loop.close %pos[%lo] at %n : !loop.buffer<index>
  func.return
}
