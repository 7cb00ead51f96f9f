// RUN: irtensor-opt %s -p skip-empty-strips | filecheck %s

// Flags of 64 iterations are asked at once; those behind the last whole strip are run as they are.
// CHECK-LABEL: func.func @flags
// CHECK:      [[LENGTH:%[a-z0-9_]+]] = arith.subi %b, %a : index
// CHECK:      [[STRIPS:%[a-z0-9_]+]] = arith.divsi
// CHECK-NEXT: loop.for [[STRIP:%[a-z0-9_]+]] = %{{.*}} to [[STRIPS]] {
// CHECK:        [[START:%[a-z0-9_]+]] = arith.muli [[STRIP]]
// CHECK-NEXT:   [[FIRST:%[a-z0-9_]+]] = arith.addi %a, [[START]] : index
// CHECK:        [[END:%[a-z0-9_]+]] = arith.addi [[FIRST]]
// CHECK:        [[SOME:%[a-z0-9_]+]] = loop.cell
// CHECK-NEXT:   [[WHOLE:%[a-z0-9_]+]] = arith.cmpi sle, [[END]], %b : index
// CHECK-NEXT:   loop.if [[WHOLE]] {
// CHECK:          loop.for [[NUMBER:%[a-z0-9_]+]] = %{{.*}} to %{{.*}} attributes {short} {
// CHECK-NEXT:       [[ITERATION:%[a-z0-9_]+]] = arith.addi [[FIRST]], [[NUMBER]] : index
// CHECK-NEXT:       [[PLACE:%[a-z0-9_]+]] = arith.addi %start, [[ITERATION]] : index
// CHECK-NEXT:       [[FLAG:%[a-z0-9_]+]] = loop.load %flags[[[PLACE]]] : i1
// CHECK:            arith.ori %{{.*}}, [[FLAG]] : i1
// CHECK:        loop.if %{{.*}} {
// CHECK-NEXT:     [[LAST:%[a-z0-9_]+]] = arith.minsi [[END]], %b : index
// CHECK-NEXT:     loop.for %i = [[FIRST]] to [[LAST]] attributes {short} {
// CHECK-NEXT:       arith.addi %start, %i : index
// CHECK-NEXT:       loop.load
// CHECK-NEXT:       loop.if
func.func @flags(%flags: !loop.buffer<i1>, %out: !loop.buffer<index>, %start: index, %a: index, %b: index) {
  loop.for %i = %a to %b {
    %place = arith.addi %start, %i : index
    %flag = loop.load %flags[%place] : i1
    loop.if %flag {
      loop.store %i, %out[%place] : index
    }
  }
  func.return
}
