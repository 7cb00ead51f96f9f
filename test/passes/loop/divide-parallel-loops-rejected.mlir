// RUN: irtensor-opt --divide-parallel-loops --split-input-file --verify-diagnostics %s

func.func @running(%n: index, %x: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f64
  %s = loop.cell %v : f64
  // expected-error @+1 {{[parallel-dependence] the loop over i cannot be parallel: an iteration reads what the iteration before has left in a variable}}
  loop.for %i = %c0 to %n attributes {parallel = "none"} {
    %old = loop.get %s : f64
    loop.store %old, %x[%i] : f64
    %new = arith.addf %old, %old : f64
    loop.set %new, %s : f64
  }
  func.return
}

// -----

func.func @appends(%n: index, %g: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{[parallel-dependence] the loop over i cannot be parallel: it appends to a result}}
  loop.for %i = %c0 to %n attributes {parallel = "none"} {
    loop.reserve %g, %i : f64
  }
  func.return
}

// -----

func.func @shared(%n: index, %y: !loop.buffer<i1>) {
  %c0 = arith.constant 0 : index
  %set = loop.index_set %n
  // expected-error @+1 {{[parallel-dependence] the loop over i cannot be parallel: it puts integers into a set of 'set' that is read outside of it}}
  loop.for %i = %c0 to %n attributes {parallel = "none"} {
    %was = loop.insert %i into %set
  }
  %in = loop.contains %c0 in %set
  loop.store %in, %y[%c0] : i1
  func.return
}

// -----

func.func @shared_map(%n: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %map = loop.index_map
  // expected-error @+1 {{[parallel-dependence] the loop over i cannot be parallel: it puts pairs into a map of 'map' that is read outside of it}}
  loop.for %i = %c0 to %n attributes {parallel = "none"} {
    %slot, %present = loop.map_insert %i, %i into %map
  }
  %count = loop.map_count %map
  %v = arith.index_cast %count : index to i64
  loop.store %v, %y[%c0] : i64
  func.return
}

// -----

// Where an iteration goes on is named after the array, the loop after the variable that a schedule was written with.
func.func @cursor(%n: index, %A_crd1: !loop.buffer<i64>, %y_vals: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = loop.cell %c0 : index
  // expected-error @+1 {{[parallel-dependence] the loop over j cannot be parallel: an iteration goes on where the iteration before has stopped in level 1 of 'A'}}
  loop.for %p = %c0 to %n attributes {parallel = "none", over = "j"} {
    %0 = loop.get %q : index
    %1 = loop.load %A_crd1[%0] : i64
    loop.store %1, %y_vals[%p] : i64
    %2 = arith.addi %0, %c1 : index
    loop.set %2, %q : index
  }
  func.return
}

// -----

// A sum that has no flag to be reassociated.
func.func @in_order(%n: index, %x: !loop.buffer<f64>, %start: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %s = loop.cell %start : f64
  // expected-error @+1 {{[parallel-dependence] the loop over i cannot be parallel: it combines floating-point numbers in their order}}
  loop.for %i = %c0 to %n attributes {parallel = "temporary"} {
    %v = loop.load %x[%i] : f64
    %old = loop.get %s : f64
    %new = algebra.apply add(%old, %v) : (f64, f64) -> f64
    loop.set %new, %s : f64
  }
  %total = loop.get %s : f64
  func.return %total : f64
}

// -----

// An argument that each iteration changes.
func.func @argument(%n: index, %x: !loop.buffer<f64>, %s: !loop.cell<f64>) {
  %0 = arith.constant 0 : index
  // expected-error @+1 {{[parallel-dependence] the loop over i cannot be parallel: it changes argument 's' in each iteration}}
  loop.for %i = %0 to %n attributes {parallel = "none"} {
    %v = loop.load %x[%i] : f64
    loop.set %v, %s : f64
  }
  func.return
}
