// RUN: irtensor-opt %s --split-input-file -p lower-loop-to-nvvm | filecheck %s

// A team of 8 lanes for each iteration: lanes exchange their sums in three steps, and one of them stores the result.
builtin.module @kernels {
  func.func @sums(%blocks: index, %x: !loop.buffer<f32>, %y: !loop.buffer<f32>)
      attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    loop.parallel %b = %c0 to %blocks on blocks(32) {
      loop.parallel %g = %c0 to %c4 on teams(8) {
        %sum = loop.cell %zero : f32
        loop.parallel %l = %c0 to %c8 on lanes {
          %v = loop.load %x[%l] : f32
          loop.reduce %v into %sum (%a: f32, %c: f32) {
            %d = arith.addf %a, %c : f32
            loop.yield %d : f32
          }
        }
        %r = loop.get %sum : f32
        loop.store %r, %y[%g] : f32
      }
    }
    func.return
  }
}

// CHECK:       llvm.func @sums(
// CHECK-SAME:  nvvm.kernel, nvvm.maxntid = array<i32: 32>
// CHECK:       nvvm.read.ptx.sreg.ctaid.x
// CHECK:       nvvm.read.ptx.sreg.nctaid.x
// CHECK:       nvvm.shfl.sync bfly [[MASK:%[0-9]+]], [[FIRST:%[0-9]+]], [[FOUR:%[0-9]+]], [[CLAMP:%[0-9]+]] : f32 -> f32
// CHECK:       llvm.fadd
// CHECK:       nvvm.shfl.sync bfly
// CHECK:       llvm.fadd
// CHECK:       nvvm.shfl.sync bfly
// CHECK:       llvm.fadd
// CHECK-NOT:   nvvm.shfl.sync
// CHECK:       llvm.cond_br
// CHECK:       llvm.store {{.*}} : f32, !llvm.ptr<1>

// -----

// Threads share memory, which has pointers of its own; they wait for each other.
builtin.module @kernels {
  func.func @turned(%blocks: index, %y: !loop.buffer<complex<f64>>)
      attributes {nvvm.kernel, nvvm.maxntid = array<i32: 64>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    loop.parallel %b = %c0 to %blocks on blocks(64) {
      %s = loop.shared 64 : complex<f64>
      loop.parallel %t = %c0 to %c64 on threads {
        %v = loop.load %y[%t] : complex<f64>
        loop.store %v, %s[%t] : complex<f64>
      }
      loop.barrier
      loop.parallel %t = %c0 to %c64 on threads {
        %other = arith.subi %c63, %t : index
        %v = loop.load %s[%other] : complex<f64>
        loop.store %v, %y[%t] : complex<f64>
      }
    }
    func.return
  }
}

// CHECK:       llvm.func @turned(
// CHECK:       llvm.mlir.addressof @turned_shared_0 : !llvm.ptr<3>
// CHECK:       llvm.store {{.*}} : f64, !llvm.ptr<3>
// CHECK:       nvvm.barrier0
// CHECK:       llvm.mlir.global internal @turned_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x f64>
