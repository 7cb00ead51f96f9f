// Maps of which it cannot be said before how many pairs they hold.
// RUN: irtensor-opt %s --split-input-file --verify-diagnostics -p bound-maps

func.func @itself(%n: index) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    // expected-error @+1 {{a kernel cannot make memory while it runs, and how many pairs 'm' holds is not known before: which ones come depends on what it holds already}}
    %m = loop.index_map
    loop.for %j = %zero to %n {
      %count = loop.map_count %m
      loop.for %k = %zero to %count {
        %slot, %there = loop.map_insert %j, %k into %m
      }
    }
  }
  func.return
}

// -----

func.func @each_other(%n: index) {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{how many pairs level 0 of 'w' (over j) holds is not known before: which ones come depends on what it holds already}}
  %a = loop.index_map {level = "level 0 of 'w' (over j)"}
  %b = loop.index_map
  loop.for %j = %zero to %n {
    %count = loop.map_count %a
    loop.for %k = %zero to %count {
      %slot, %there = loop.map_insert %j, %k into %b
    }
    %other = loop.map_count %b
    loop.for %k = %zero to %other {
      %slot, %there = loop.map_insert %j, %k into %a
    }
  }
  func.return
}

// -----

func.func @stored(%n: index, %C_crd1: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  loop.parallel %i = %zero to %n {
    // expected-error @+1 {{how many pairs 'm' holds is not known before: which ones come depends on level 1 of 'C', which is stored to at the same time}}
    %m = loop.index_map
    loop.store %i, %C_crd1[%i] : index
    %count = loop.load %C_crd1[%i] : index
    loop.for %k = %zero to %count {
      %slot, %there = loop.map_insert %zero, %k into %m
    }
  }
  func.return
}
