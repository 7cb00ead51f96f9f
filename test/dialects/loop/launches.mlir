// What the host does with a device: launches of kernels, which a module beside it holds, fills, and reads.
// RUN: irtensor-opt %s | filecheck %s
// RUN: irtensor-opt %s | irtensor-opt | filecheck %s

// CHECK-LABEL: func.func @host(
func.func @host(%n: index, %x: !loop.buffer<f64>, %f: !loop.buffer<i1>, %true: i1) {
  // CHECK: loop.launch %n of @kernels::@one(%n, %x) : (index, !loop.buffer<f64>)
  loop.launch %n of @kernels::@one(%n, %x) : (index, !loop.buffer<f64>)
  // CHECK-NEXT: loop.launch %n of @kernels::@none() : ()
  loop.launch %n of @kernels::@none() : ()
  // CHECK-NEXT: loop.memset %true, %f[%n to %n] : i1
  loop.memset %true, %f[%n to %n] : i1
  // CHECK-NEXT: %v = loop.read %x[%n] : f64
  %v = loop.read %x[%n] : f64
  // CHECK-NEXT: %b = loop.read %f[%n] : i1
  %b = loop.read %f[%n] : i1
  func.return
}
// CHECK: builtin.module @kernels {
builtin.module @kernels {
  // CHECK-NEXT: func.func @one(%n: index, %x: !loop.buffer<f64>) attributes {nvvm.kernel} {
  func.func @one(%n: index, %x: !loop.buffer<f64>) attributes {nvvm.kernel} {
    func.return
  }
  func.func @none() attributes {nvvm.kernel} {
    func.return
  }
}
