// RUN: irtensor-opt %s --split-input-file -p place-barriers | filecheck %s

// What one thread has written another one reads; the next iteration of the block writes it again. The buffer of the
// caller is read and written by one thread only, and stays apart from others.
// CHECK-LABEL: func.func @turned(
// CHECK-SAME:  %y: !loop.buffer<f64> {llvm.noalias})
// CHECK:       loop.shared
// CHECK-NEXT:  loop.barrier
// CHECK-NEXT:  loop.parallel %t = %c0 to %c64 on threads
// CHECK:       }
// CHECK-NEXT:  loop.barrier
// CHECK-NEXT:  loop.parallel %t_1 = %c0 to %c64 on threads
// CHECK-NOT:   loop.barrier
func.func @turned(%blocks: index, %y: !loop.buffer<f64> {llvm.noalias}) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  loop.parallel %b = %c0 to %blocks on blocks(64) {
    %s = loop.shared 64 : f64
    loop.parallel %t = %c0 to %c64 on threads {
      %v = loop.load %y[%t] : f64
      loop.store %v, %s[%t] : f64
    }
    loop.parallel %t = %c0 to %c64 on threads {
      %other = arith.subi %c63, %t : index
      %v = loop.load %s[%other] : f64
      loop.store %v, %y[%t] : f64
    }
  }
  func.return
}

// -----

// Each lane goes on with the elements that it had itself, so that none waits for another.
// CHECK-LABEL: func.func @own_elements(
// CHECK-NOT:   loop.barrier
// CHECK:       return
func.func @own_elements(%blocks: index, %n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  loop.parallel %b = %c0 to %blocks on blocks(32) {
    loop.parallel %g = %c0 to %c4 on teams(8) {
      %r = arith.muli %g, %n : index
      loop.parallel %l = %c0 to %c8 on lanes {
        loop.for %q = %c0 to %n {
          %a = arith.muli %q, %c8 : index
          %k = arith.addi %a, %l : index
          %at = arith.addi %r, %k : index
          loop.store %zero, %y[%at] : f64
        }
      }
      loop.for %p = %c0 to %n {
        loop.parallel %l = %c0 to %c8 on lanes {
          loop.for %q = %c0 to %n {
            %a = arith.muli %q, %c8 : index
            %k = arith.addi %a, %l : index
            %at = arith.addi %r, %k : index
            %old = loop.load %y[%at] : f64
            %v = loop.load %x[%p] : f64
            %new = arith.addf %old, %v : f64
            loop.store %new, %y[%at] : f64
          }
        }
      }
    }
  }
  func.return
}

// -----

// Here the elements of a lane are others in each iteration of the loop around, so that lanes meet; and the buffer is
// not known any more to be changed by this thread alone.
// CHECK-LABEL: func.func @others_elements(
// CHECK-SAME:  %y: !loop.buffer<f64>) attributes
// CHECK:       loop.for
// CHECK-NEXT:  loop.barrier
// CHECK-NEXT:  loop.parallel %l = %c0 to %c8 on lanes
// CHECK-NOT:   loop.barrier
func.func @others_elements(%blocks: index, %n: index, %y: !loop.buffer<f64> {llvm.noalias}) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  loop.parallel %b = %c0 to %blocks on blocks(32) {
    loop.parallel %g = %c0 to %c4 on teams(8) {
      loop.for %p = %c0 to %n {
        loop.parallel %l = %c0 to %c8 on lanes {
          %at = arith.addi %p, %l : index
          loop.store %zero, %y[%at] : f64
        }
      }
    }
  }
  func.return
}

// -----

// One thread writes for all, who read it then; two things that the one thread does need no barrier.
// CHECK-LABEL: func.func @one_for_all(
// CHECK:       loop.store %zero, %y[%g]
// CHECK-NEXT:  loop.store %zero, %y[%g]
// CHECK-NEXT:  loop.barrier
// CHECK-NEXT:  loop.load %y[%g]
// CHECK-NEXT:  loop.barrier
// CHECK-NEXT:  loop.store
// CHECK-NOT:   loop.barrier
func.func @one_for_all(%blocks: index, %y: !loop.buffer<f64>) attributes {nvvm.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  loop.parallel %b = %c0 to %blocks on blocks(32) {
    loop.parallel %g = %c0 to %c4 on teams(8) {
      loop.store %zero, %y[%g] : f64
      loop.store %zero, %y[%g] : f64
      %v = loop.load %y[%g] : f64
      loop.store %v, %y[%g] : f64
    }
  }
  func.return
}
