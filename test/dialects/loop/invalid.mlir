// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{a buffer cannot hold vector<4xf64>}}
func.func @f(%b: !loop.buffer<vector<4xf64>>) {
  func.return
}

// -----

// expected-error @+1 {{a cell cannot hold i7}}
func.func @f(%b: !loop.cell<i7>) {
  func.return
}

// -----

// expected-error @+1 {{a growable cannot hold complex<i32>}}
func.func @f(%b: !loop.growable<complex<i32>>) {
  func.return
}

// -----

func.func @f(%v: vector<4xf64>, %b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{loop.fill cannot move values of type vector<4xf64>}}
  "loop.fill"(%v, %b, %n, %n) : (vector<4xf64>, !loop.buffer<f64>, index, index) -> ()
  func.return
}

// -----

func.func @f(%v: f64, %b: !loop.buffer<f32>, %n: index) {
  // expected-error @+1 {{operand 1 has type !loop.buffer<f32>, expected !loop.buffer<f64>}}
  "loop.store"(%v, %b, %n) : (f64, !loop.buffer<f32>, index) -> ()
  func.return
}

// -----

func.func @f(%b: !loop.buffer<f32>, %n: index) {
  // expected-error @+1 {{operand 0 has type !loop.buffer<f32>, expected !loop.buffer<i64>}}
  %v = "loop.load"(%b, %n) : (!loop.buffer<f32>, index) -> i64
  func.return
}

// -----

func.func @f(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{loop.lower_bound searches integers, not f64}}
  %p = loop.lower_bound %b[%n to %n], %n : f64
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{the first region ends in loop.condition}}
  loop.while {
    %c = arith.constant true
  } do {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{the body takes one argument of type index}}
  "loop.for"(%n, %n) ({
  ^bb0(%i: i64):
  }) : (index, index) -> ()
  func.return
}

// -----

func.func @f(%c: i1) {
  loop.if %c {
    // expected-error @+1 {{'loop.condition' expects parent op 'loop.while'}}
    loop.condition %c
  }
  func.return
}

// -----

func.func @f(%c: i1) {
  loop.if %c {
    // expected-error @+1 {{'loop.scratch' expects parent op to be one of 'func.func', 'loop.parallel'}}
    %g = loop.scratch : f64
  }
  func.return
}

// -----

func.func @f(%set: !loop.index_set, %buffer: !loop.buffer<f64>) {
  // expected-error @+1 {{members are listed in a buffer of i64, not !loop.buffer<f64>}}
  %count = loop.members %set into %buffer : !loop.buffer<f64>
  func.return
}

// -----

func.func @f(%n: index) {
  %set = loop.index_set %n
  // expected-error @+1 {{the body uses the set that is visited}}
  loop.visit %j in %set {
    %present = loop.insert %j into %set
  }
  func.return
}

// -----

func.func @f(%c: i1) {
  // expected-error @+1 {{0 is success and 1 is lack of memory, so a requirement has status 2 or more}}
  loop.require %c else 1
  func.return
}

// -----

func.func @f(%n: index, %v: f64) {
  %c = loop.cell %v : f64
  // expected-error @+1 {{'loop.set' changes memory made outside of the loop: iterations would race for it}}
  loop.parallel %i = %n to %n {
    loop.set %v, %c : f64
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %s = loop.index_set %n
  // expected-error @+1 {{'loop.remove' changes memory made outside of the loop: iterations would race for it}}
  loop.parallel %i = %n to %n {
    %taken = loop.remove %i from %s
  }
  func.return
}

// -----

func.func @f(%n: index, %g: !loop.growable<f64>) {
  // expected-error @+1 {{'loop.reserve' changes memory made outside of the loop: iterations would race for it}}
  loop.parallel %i = %n to %n {
    loop.reserve %g, %i : f64
  }
  func.return
}

// -----

func.func @f(%n: index) {
  loop.parallel %i = %n to %n {
    loop.for %j = %n to %n {
      // expected-error @+1 {{a parallel loop inside another one says on which units it is}}
      loop.parallel %k = %n to %n {
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  loop.parallel %i = %n to %n {
    loop.for %j = %n to %n {
      // expected-error @+1 {{'loop.scratch' expects parent op to be one of 'func.func', 'loop.parallel'}}
      %g = loop.scratch : f64
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %g = loop.scratch : f64
  // expected-error @+1 {{only a growable of the caller has parts}}
  %p = loop.part_of %g[%n] : f64
  func.return
}

// -----

func.func @f(%n: index, %a: !loop.buffer<i64>, %b: !loop.buffer<i32>) {
  %map = loop.index_map
  // expected-error @+1 {{pairs are listed in buffers of i64, not !loop.buffer<i32>}}
  loop.map_list %map for %n into %a, %b, %a : !loop.buffer<i64>, !loop.buffer<i32>, !loop.buffer<i64>
  func.return
}

// -----

func.func @atomic_complex(%b: !loop.buffer<complex<f64>>, %n: index) {
  // expected-error @+1 {{an element of type complex<f64> does not change as a whole}}
  loop.atomic %b[%n] (%old: complex<f64>) {
    loop.yield %old : complex<f64>
  }
  func.return
}

// -----

func.func @atomic_type(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{the body gives index for an element of type f64}}
  loop.atomic %b[%n] (%old: f64) {
    loop.yield %n : index
  }
  func.return
}

// -----

func.func @atomic_without_value(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{the body takes the element, of type f64, and ends in loop.yield}}
  loop.atomic %b[%n] (%old: f64) {
  }
  func.return
}

// -----

func.func @speculatable_and_ordered(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{an ordered load waits for other iterations, so it is not speculatable}}
  %x = loop.load %b[%n] {ordered, speculatable} : f64
  func.return
}

// -----

func.func @speculatable_and_written(%b: !loop.buffer<f64>, %n: index, %v: f64) {
  loop.store %v, %b[%n] : f64
  // expected-error @+1 {{loop.store may write to the buffer, so the load is not speculatable}}
  %x = loop.load %b[%n] {speculatable} : f64
  func.return
}

// -----

func.func @speculatable_under_another_name(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{loop.view may write to the buffer, so the load is not speculatable}}
  %x = loop.load %b[%n] {speculatable} : f64
  %w = loop.view %b[%n] : f64
  func.return
}

// -----

func.func @ends_of_segments(%positions: !loop.buffer<f64>, %i: index) {
  %c = loop.counter
  // expected-error @+1 {{positions are integers, not f64}}
  loop.close %positions[%i] at %c : !loop.buffer<f64>
  func.return
}

// -----

func.func @append_to_shared(%n: index) {
  %c = loop.counter
  // expected-error @+1 {{'loop.append' changes memory made outside of the loop: iterations would race for it}}
  loop.parallel %i = %n to %n {
    loop.append %n to %c
  }
  func.return
}

// -----

func.func @accumulate_a_condition(%w: !loop.buffer<f64>, %v: f64, %j: index, %was: i1) {
  // expected-error @+1 {{'lt' of f64 gives i1, not f64}}
  loop.accumulate lt %v into %w[%j] where %was : f64
  func.return
}

// -----

func.func @sums_of_floats(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{sums of counts are integers, not f64}}
  loop.prefix_sum %b[%n to %n] : f64
  func.return
}

// -----

func.func @sums_of_conditions(%b: !loop.buffer<i1>, %n: index) {
  // expected-error @+1 {{sums of counts are integers, not i1}}
  loop.prefix_sum %b[%n to %n] : i1
  func.return
}

// -----

func.func @sums_from_another_type(%b: !loop.buffer<i32>, %n: index) {
  // expected-error @+1 {{the sums begin with a value of type i32, not index}}
  "loop.prefix_sum"(%b, %n, %n, %n) : (!loop.buffer<i32>, index, index, index) -> ()
  func.return
}

// -----

func.func @f(%b: !loop.buffer<f64>, %n: index) {
  // expected-error @+1 {{loop.load_lanes gives a vector, not f64}}
  %v = "loop.load_lanes"(%b, %n, %n) : (!loop.buffer<f64>, index, index) -> f64
  func.return
}

// -----

func.func @f(%b: !loop.buffer<f64>, %n: index, %numbers: vector<2xi64>) {
  // expected-error @+1 {{operand 1 has type vector<2xi64>, expected vector<4xi64>}}
  %v = "loop.gather"(%b, %numbers, %n) : (!loop.buffer<f64>, vector<2xi64>, index) -> vector<4xf64>
  func.return
}
