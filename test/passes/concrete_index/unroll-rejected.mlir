// RUN: irtensor-opt %s -p 'unroll{variable=i factor=65}' --verify-diagnostics
// RUN: not irtensor-opt %s -p 'vectorize{variable=i width=128}' 2>&1 | filecheck %s --check-prefix WIDTH

// WIDTH:      error: [bad-schedule-step] vectorize: width is 128
// WIDTH:      help: give a width of 1, 2, 4, 8, 16, 32 or 64

// Machine code would grow beyond the processor's caches.
func.func @many_iterations(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[bad-schedule-step] unroll: factor is 65}}
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
