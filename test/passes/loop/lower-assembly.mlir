// RUN: irtensor-opt %s --split-input-file -p lower-assembly | filecheck %s

// A counter is a cell; what is appended is added to it, and ends of segments and sizes are computed from it.
// CHECK-LABEL: func.func @assemble
// CHECK: [[ZERO:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %count = loop.cell [[ZERO]] : index
// CHECK-NEXT: loop.for %i = %lo to %hi {
// CHECK-NEXT:   %q = loop.get %count : index
// CHECK-NEXT:   loop.store %v, %vals[%q] : f64
// CHECK-NEXT:   [[BEFORE:%[a-z0-9_]+]] = loop.get %count : index
// CHECK-NEXT:   [[AFTER:%[a-z0-9_]+]] = arith.addi [[BEFORE]], %n : index
// CHECK-NEXT:   loop.set [[AFTER]], %count : index
// CHECK-NEXT:   [[END:%[a-z0-9_]+]] = loop.get %count : index
// CHECK-NEXT:   [[STORED:%[a-z0-9_]+]] = arith.index_cast [[END]] : index to i32
// CHECK-NEXT:   loop.store [[STORED]], %pos[%i] : i32
// CHECK-NEXT:   [[SOFAR:%[a-z0-9_]+]] = loop.get %count : index
// CHECK-NEXT:   [[FILLED:%[a-z0-9_]+]] = arith.index_cast [[SOFAR]] : index to i32
// CHECK-NEXT:   loop.fill [[FILLED]], %pos[%i to %hi] : i32
// CHECK-NEXT: }
// CHECK-NEXT: [[TOTAL:%[a-z0-9_]+]] = loop.get %count : index
// CHECK-NEXT: [[WIDE:%[a-z0-9_]+]] = arith.muli [[TOTAL]], %n : index
// CHECK-NEXT: [[SIZE:%[a-z0-9_]+]] = arith.addi [[WIDE]], %lo : index
// CHECK-NEXT: loop.set_size %grow, [[SIZE]] : f64
// CHECK-NEXT: func.return
func.func @assemble(
  %v: f64, %grow: !loop.growable<f64>, %vals: !loop.buffer<f64>, %pos: !loop.buffer<i32>, %lo: index, %hi: index, %n: index
) {
  %count = loop.counter
  loop.for %i = %lo to %hi {
    %q = loop.count %count
    loop.store %v, %vals[%q] : f64
    loop.append %n to %count
    loop.close %pos[%i] at %count : !loop.buffer<i32>
    loop.close %pos[%i to %hi] at %count : !loop.buffer<i32>
  }
  loop.assembled %grow, %count * %n + %lo : !loop.growable<f64>
  func.return
}

// -----

// A part begins where the parts before it have ended.
// CHECK-LABEL: func.func @part
// CHECK: [[OWN:%[a-z0-9_]+]] = loop.cell %first : index
// CHECK-NEXT: [[END:%[a-z0-9_]+]] = loop.get [[OWN]] : index
// CHECK-NEXT: loop.store [[END]], %ends[%first] : index
func.func @part(%first: index, %ends: !loop.buffer<index>) {
  %own = loop.counter from %first
  %end = loop.count %own
  loop.store %end, %ends[%first] : index
  func.return
}
