// RUN: irtensor-opt %s -p 'bound{variable=i extent=16}' --verify-diagnostics --split-input-file
// RUN: not irtensor-opt %s -p 'bound{variable=i extent=16 kind=most}' 2>&1 | filecheck %s --check-prefix=MOST
// MOST: [bad-pass-option] pass 'bound': kind= is exact or multiple, not 'most'
// MOST-NEXT: help: write one of them, or omit kind= for exact

// How many coordinates a block has follows from its size.
func.func @block(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %n = concrete_index.extent %x, 0 : tensor<?xf64>
    %blocks = arith.divsi %n, %c8 : index
    concrete_index.forall %i0 from %c0 to %blocks {
      %lo = arith.muli %i0, %c8 : index
      %hi = arith.addi %lo, %c8 : index
      // expected-error @+1 {{[bad-schedule-step] bound: 'i' goes over the blocks of i0, whose size says how many coordinates it has}}
      concrete_index.forall %i from %lo to %hi {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @other_loop(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // expected-error @+1 {{[no-such-loops] bound: no loop is over 'i'}}
    concrete_index.forall %k {
      %a = concrete_index.access %x[%k] : tensor<?xf64>
      concrete_index.assign %a into %out[%k] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
