// RUN: irtensor-opt %s -p list-busy-iterations | filecheck %s

// The iterations whose segment has entries are noted in the bits of a number, 64 iterations at a time, and only they are run.
// CHECK-LABEL: func.func @segments
// CHECK:      [[LENGTH:%[a-z0-9_]+]] = arith.subi %b, %a : index
// CHECK:      [[STRIPS:%[a-z0-9_]+]] = arith.divsi
// CHECK-NEXT: loop.for [[STRIP:%[a-z0-9_]+]] = %{{.*}} to [[STRIPS]] {
// CHECK:        [[START:%[a-z0-9_]+]] = arith.muli [[STRIP]]
// CHECK-NEXT:   [[FIRST:%[a-z0-9_]+]] = arith.addi %a, [[START]] : index
// CHECK:        [[BITS:%[a-z0-9_]+]] = loop.cell
// CHECK:        loop.for [[NUMBER:%[a-z0-9_]+]] = %{{.*}} to %{{.*}} {
// CHECK-NEXT:     [[ITERATION:%[a-z0-9_]+]] = arith.addi [[FIRST]], [[NUMBER]] : index
// CHECK-NEXT:     [[K:%[a-z0-9_]+]] = loop.load %crd[[[ITERATION]]] : index
// CHECK:          [[HOLDS:%[a-z0-9_]+]] = arith.cmpi slt
// CHECK:          [[BIT:%[a-z0-9_]+]] = arith.shli %{{.*}}, [[NUMBER]]
// CHECK:          arith.ori %{{.*}}, [[BIT]] : index
// CHECK:        loop.while attributes {unlikely} {
// CHECK:          arith.cmpi ne
// CHECK:        } do {
// CHECK:          [[LOWEST:%[a-z0-9_]+]] = math.cttz
// CHECK-NEXT:     %p = arith.addi [[FIRST]], [[LOWEST]] : index
// CHECK-NEXT:     loop.load %crd[%p] : index
// CHECK:          arith.cmpi slt
// CHECK-NEXT:     loop.for %q = %{{.*}} to %{{.*}} {
// CHECK-NOT:  loop.if
func.func @segments(%crd: !loop.buffer<index>, %pos: !loop.buffer<index>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %one = arith.constant 1 : index
  loop.for %p = %a to %b {
    %k = loop.load %crd[%p] : index
    %next = arith.addi %k, %one : index
    %begin = loop.load %pos[%k] : index
    %end = loop.load %pos[%next] : index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %stored attributes {unlikely} {
      loop.for %q = %begin to %end {
        loop.store %q, %out[%p] : index
      }
    }
  }
  func.return
}
