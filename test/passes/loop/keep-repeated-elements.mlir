// RUN: irtensor-opt %s -p keep-repeated-elements | filecheck %s

// The element of the row stays in a cell until another row begins.
// CHECK-LABEL: func.func @coo
// CHECK:      [[LIMIT:%[0-9]+]] = arith.muli %rows, {{%[0-9]+}} : index
// CHECK-NEXT: [[COUNT:%[0-9]+]] = arith.subi %end, %begin : index
// CHECK-NEXT: [[OFTEN:%[0-9]+]] = arith.cmpi sgt, [[COUNT]], [[LIMIT]] : index
// CHECK-NEXT: loop.if [[OFTEN]] {
// CHECK-NEXT:   [[C:%c[_0-9]*]] = loop.load %A_crd0[%begin] : i32
// CHECK-NEXT:   [[I:%i[_0-9]*]] = arith.index_cast [[C]] : i32 to index
// CHECK-NEXT:   [[AT:%[0-9]+]] = loop.cell [[I]] : index
// CHECK-NEXT:   [[OLD:%[0-9]+]] = loop.load %y[[[I]]] : f64
// CHECK-NEXT:   [[ELEMENT:%[0-9]+]] = loop.cell [[OLD]] : f64
// CHECK-NEXT:   loop.for %p = %begin to %end {
// CHECK:          [[BEFORE:%[0-9]+]] = loop.get [[AT]] : index
// CHECK-NEXT:     [[OTHER:%[0-9]+]] = arith.cmpi ne, [[NEXT:%i[_0-9]*]], [[BEFORE]] : index
// CHECK-NEXT:     loop.if [[OTHER]] {
// CHECK-NEXT:       [[DONE:%[0-9]+]] = loop.get [[ELEMENT]] : f64
// CHECK-NEXT:       loop.store [[DONE]], %y[[[BEFORE]]] : f64
// CHECK-NEXT:       [[LOADED:%[0-9]+]] = loop.load %y[[[NEXT]]] : f64
// CHECK-NEXT:       loop.set [[LOADED]], [[ELEMENT]] : f64
// CHECK-NEXT:       loop.set [[NEXT]], [[AT]] : index
// CHECK-NEXT:     }
// CHECK-NEXT:     [[SUM:%[a-z0-9_]+]] = loop.get [[ELEMENT]] : f64
// CHECK-NEXT:     %new = arith.addf [[SUM]], %v : f64
// CHECK-NEXT:     loop.set %new, [[ELEMENT]] : f64
// CHECK-NEXT:   }
// CHECK-NEXT:   [[LAST:%[0-9]+]] = loop.get [[ELEMENT]] : f64
// CHECK-NEXT:   [[END:%[0-9]+]] = loop.get [[AT]] : index
// CHECK-NEXT:   loop.store [[LAST]], %y[[[END]]] : f64
// CHECK-NEXT: } else {
// CHECK:        loop.store {{%[a-z0-9_]+}}, %y[{{%[a-z0-9_]+}}] : f64
func.func @coo(%A_crd0: !loop.buffer<i32> {loop.repeats}, %A_vals: !loop.buffer<f64>, %y: !loop.buffer<f64> {loop.extents = array<i64: 3>}, %rows: index, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %c = loop.load %A_crd0[%p] : i32
    %i = arith.index_cast %c : i32 to index
    %v = loop.load %A_vals[%p] : f64
    %old = loop.load %y[%i] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %y[%i] : f64
  }
  func.return
}

// An element of a matrix has two coordinates that repeat.
// CHECK-LABEL: func.func @matrix
// CHECK: arith.cmpi ne, %place
func.func @matrix(%A_crd0: !loop.buffer<index> {loop.repeats}, %A_crd1: !loop.buffer<index> {loop.repeats}, %A_vals: !loop.buffer<i64>, %y: !loop.buffer<i64> {loop.extents = array<i64: 4, 4>}, %n: index, %begin: index, %end: index) {
  loop.for %p = %begin to %end {
    %i = loop.load %A_crd0[%p] : index
    %j = loop.load %A_crd1[%p] : index
    %row = arith.muli %i, %n : index
    %place = arith.addi %row, %j : index
    %v = loop.load %A_vals[%p] : i64
    %old = loop.load %y[%place] : i64
    %new = arith.maxsi %old, %v : i64
    loop.store %new, %y[%place] : i64
  }
  func.return
}
