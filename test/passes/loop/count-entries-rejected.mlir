// RUN: irtensor-opt --count-entries --split-input-file --verify-diagnostics %s

// Where an entry goes depends on what an iteration before has left.
func.func @state(%n: index, %x: !loop.buffer<f64>, %y: !loop.growable<f64>, %z: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %count = loop.counter
  %sum = loop.cell %zero : f64
  // expected-error @+1 {{[illegal-assemble] assemble: what the loop over i appends cannot be counted before: it does more than count up and store what it counts}}
  loop.for %i = %c0 to %n attributes {counted} {
    %a = loop.load %x[%i] : f64
    %b = loop.get %sum : f64
    %s = arith.addf %a, %b : f64
    loop.set %s, %sum : f64
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : f64
    %data = loop.data %y : f64
    loop.store %s, %data[%q] : f64
    loop.append %c1 to %count
  }
  %t = loop.get %sum : f64
  loop.store %t, %z[%c0] : f64
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<f64>
  func.return
}

// -----

// What is stored decides what is stored next.
func.func @reads(%n: index, %x: !loop.buffer<i64>, %y: !loop.growable<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  // expected-error @+1 {{[illegal-assemble] assemble: what the loop over i appends cannot be counted before: which entries there are depends on earlier stores}}
  loop.for %i = %c0 to %n attributes {counted} {
    %a = loop.load %x[%i] : i64
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : i64
    %data = loop.data %y : i64
    %old = loop.load %data[%q] : i64
    %c = arith.cmpi slt, %old, %a : i64
    loop.if %c {
      loop.store %a, %data[%q] : i64
      loop.append %c1 to %count
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<i64>
  func.return
}
