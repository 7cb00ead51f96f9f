// RUN: irtensor-opt --lower-assembly --split-input-file --verify-diagnostics %s

// A counter is part of how one function assembles a result.
// expected-error @+1 {{[wrong-stage] a counter cannot be an argument: it ends with its function}}
func.func @argument(%count: !loop.counter, %ends: !loop.buffer<i64>, %i: index) {
  loop.close %ends[%i] at %count : !loop.buffer<i64>
  func.return
}

// -----

func.func @call(%i: index) {
  %count = loop.counter
  // expected-error @+1 {{[wrong-stage] lower-assembly cannot lower 'func.call'}}
  func.call @append(%count) : (!loop.counter) -> ()
  func.return
}
func.func private @append(!loop.counter)
