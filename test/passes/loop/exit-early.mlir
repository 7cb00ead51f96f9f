// RUN: irtensor-opt %s --split-input-file -p exit-early | filecheck %s

// The strips of an outermost loop become vectors, which start from the identity.
// CHECK-LABEL: func.func @strips
// CHECK:      loop.while attributes {strips} {
// CHECK-NEXT:   loop.get [[START:%[0-9]+]] : index
// CHECK-NEXT:   [[MORE:%[0-9]+]] = arith.cmpi slt
// CHECK-NEXT:   [[TRUE:%[0-9]+]] = algebra.constant true
// CHECK-NEXT:   [[NOW:%[0-9]+]] = loop.get %t : i1
// CHECK-NEXT:   [[OPEN:%[0-9]+]] = arith.cmpi ne, [[NOW]], [[TRUE]] : i1
// CHECK-NEXT:   [[GO:%[0-9]+]] = arith.andi [[MORE]], [[OPEN]] : i1
// CHECK-NEXT:   loop.condition [[GO]]
// CHECK-NEXT: } do {
// CHECK:        arith.constant 4096 : index
// CHECK:        loop.cell
// CHECK-NEXT:   loop.for %i =
// CHECK:          algebra.apply or
// CHECK:        algebra.apply or
// CHECK-NEXT:   loop.set {{.*}}, %t : i1
// CHECK-NEXT:   loop.set {{.*}}, [[START]] : index
func.func @strips(%n: index, %a: !loop.buffer<i1>, %s: !loop.buffer<i1>) {
  %0 = arith.constant 0 : index
  %false = algebra.constant false
  %t = loop.cell %false : i1
  loop.for %i = %0 to %n {
    %1 = loop.load %a[%i] : i1
    %2 = loop.get %t : i1
    %3 = algebra.apply or(%2, %1) : (i1, i1) -> i1
    loop.set %3, %t : i1
  }
  %4 = loop.get %t : i1
  loop.store %4, %s[%0] : i1
  func.return
}

// -----

// A row that is a strip is a loop as before. The loop over rows stores, and has no number.
// CHECK-LABEL: func.func @rows
// CHECK:      loop.for %r
// CHECK:        [[LONG:%[0-9]+]] = arith.cmpi sgt
// CHECK-NEXT:   loop.if [[LONG]] attributes {unlikely} {
// CHECK:          loop.while
// CHECK:        } else {
// CHECK-NEXT:     loop.for %i
func.func @rows(%m: index, %n: index, %a: !loop.buffer<i8>, %s: !loop.buffer<i8>) {
  %0 = arith.constant 0 : index
  %one = algebra.constant 1 : i8
  loop.for %r = %0 to %m {
    %t = loop.cell %one : i8
    %base = arith.muli %r, %n : index
    loop.for %i = %0 to %n {
      %at = arith.addi %base, %i : index
      %1 = loop.load %a[%at] : i8
      %2 = loop.get %t : i8
      %3 = algebra.apply mul(%2, %1) : (i8, i8) -> i8
      loop.set %3, %t : i8
    }
    %4 = loop.get %t : i8
    loop.store %4, %s[%r] : i8
  }
  func.return
}

// -----

// A walk asks in each iteration. Nothing behind it reads its position.
// CHECK-LABEL: func.func @walk
// CHECK:      loop.while {
// CHECK:        [[IN:%[0-9]+]] = arith.cmpi slt
// CHECK:        [[OPEN:%[0-9]+]] = arith.cmpi ne
// CHECK-NEXT:   [[GO:%[0-9]+]] = arith.andi [[IN]], [[OPEN]] : i1
// CHECK-NEXT:   loop.condition [[GO]]
func.func @walk(%n: index, %a: !loop.buffer<i1>, %s: !loop.buffer<i1>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %true = algebra.constant true
  %t = loop.cell %true : i1
  %p = loop.cell %0 : index
  loop.while {
    %2 = loop.get %p : index
    %3 = arith.cmpi slt, %2, %n : index
    loop.condition %3
  } do {
    %4 = loop.get %p : index
    %5 = loop.load %a[%4] : i1
    %6 = loop.get %t : i1
    %7 = algebra.apply and(%6, %5) : (i1, i1) -> i1
    loop.set %7, %t : i1
    %8 = arith.addi %4, %1 : index
    loop.set %8, %p : index
  }
  %9 = loop.get %t : i1
  loop.store %9, %s[%0] : i1
  func.return
}
