// What stays as it is.
// RUN: irtensor-opt %s --split-input-file -p empty-sets-by-entries | filecheck %s

// Its members are listed.
// CHECK-LABEL: func.func @listed
// CHECK: loop.clear
// CHECK-NOT: loop.remove
func.func @listed(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>, %b: !loop.buffer<i64>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    loop.clear %s
    loop.for %p = %zero to %i {
      %k = loop.load %crd[%p] : index
      %was = loop.insert %k into %s
    }
    loop.for %q = %zero to %n {
      %is = loop.contains %q in %s
      loop.if %is {
        loop.store %i, %out[%q] : index
      }
    }
    %m = loop.members %s into %b : !loop.buffer<i64>
  }
  func.return
}

// -----

// A second loop puts in others.
// CHECK-LABEL: func.func @two
// CHECK: loop.clear
// CHECK-NOT: loop.remove
func.func @two(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>, %b: !loop.buffer<i64>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    loop.clear %s
    loop.for %p = %zero to %i {
      %k = loop.load %crd[%p] : index
      %was = loop.insert %k into %s
    }
    loop.for %q = %zero to %n {
      %is = loop.contains %q in %s
      loop.if %is {
        loop.store %i, %out[%q] : index
      }
    }
    loop.for %r = %i to %n {
      %was = loop.insert %r into %s
    }
  }
  func.return
}

// -----

// It has members before.
// CHECK-LABEL: func.func @before
// CHECK: loop.clear
// CHECK-NOT: loop.remove
func.func @before(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>, %b: !loop.buffer<i64>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  %had = loop.insert %zero into %s
  loop.for %i = %zero to %n {
    loop.clear %s
    loop.for %p = %zero to %i {
      %k = loop.load %crd[%p] : index
      %was = loop.insert %k into %s
    }
    loop.for %q = %zero to %n {
      %is = loop.contains %q in %s
      loop.if %is {
        loop.store %i, %out[%q] : index
      }
    }
  }
  func.return
}

// -----

// It is asked for members when the loops are over.
// CHECK-LABEL: func.func @behind
// CHECK: loop.clear
// CHECK-NOT: loop.remove
func.func @behind(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>, %b: !loop.buffer<i64>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    loop.clear %s
    loop.for %p = %zero to %i {
      %k = loop.load %crd[%p] : index
      %was = loop.insert %k into %s
    }
    loop.for %q = %zero to %n {
      %is = loop.contains %q in %s
      loop.if %is {
        loop.store %i, %out[%q] : index
      }
    }
  }
  %last = loop.contains %zero in %s
  loop.if %last {
    loop.store %zero, %out[%zero] : index
  }
  func.return
}

// -----

// The list is written to.
// CHECK-LABEL: func.func @written
// CHECK: loop.clear
// CHECK-NOT: loop.remove
func.func @written(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>, %b: !loop.buffer<i64>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    loop.clear %s
    loop.for %p = %zero to %i {
      %k = loop.load %crd[%p] : index
      %was = loop.insert %k into %s
    }
    loop.for %q = %zero to %n {
      %is = loop.contains %q in %s
      loop.if %is {
        loop.store %i, %out[%q] : index
      }
    }
    loop.store %i, %crd[%zero] : index
  }
  func.return
}

// -----

// A loop puts in two for each.
// CHECK-LABEL: func.func @some
// CHECK: loop.clear
// CHECK-NOT: loop.remove
func.func @some(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>, %b: !loop.buffer<i64>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %n {
    loop.clear %s
    loop.for %p = %zero to %i {
      %k = loop.load %crd[%p] : index
      loop.store %k, %out[%p] : index
      %again = loop.insert %p into %s
      %was = loop.insert %k into %s
    }
    loop.for %q = %zero to %n {
      %is = loop.contains %q in %s
      loop.if %is {
        loop.store %i, %out[%q] : index
      }
    }
  }
  func.return
}

// -----

// It is filled once: nothing comes after the function.
// CHECK-LABEL: func.func @once
// CHECK: loop.clear
// CHECK-NOT: loop.remove
// CHECK: func.return
func.func @once(%crd: !loop.buffer<index>, %n: index, %out: !loop.buffer<index>) {
  %s = loop.index_set %n
  %zero = arith.constant 0 : index
  loop.clear %s
  loop.for %p = %zero to %n {
    %k = loop.load %crd[%p] : index
    %was = loop.insert %k into %s
  }
  loop.for %q = %zero to %n {
    %is = loop.contains %q in %s
    loop.if %is {
      loop.store %q, %out[%q] : index
    }
  }
  func.return
}
