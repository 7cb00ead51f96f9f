// Maps from pairs of integers to slots, as find_pairs.mlir has them: how they grow, are emptied, and are listed.

// For each pair, the first cell that is free becomes its own; with `frees`, its own cell becomes free: on the way there
// are cells of pairs before it, which are free already.
func.func @irtensor.map.change(
    %table: !loop.buffer<i64>, %cells: index, %pairs: !loop.buffer<i64>, %count: index, %frees: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = arith.constant 0 : i64
  %parent_factor = arith.constant -7046029254386353131 : i64
  %factor = arith.constant -4658895280553007687 : i64
  %group_bits = arith.constant 6 : i64
  %group_mask = arith.constant 63 : i64
  %half = arith.constant 32 : i64
  %above_group = arith.constant 58 : i64
  %above_number = arith.constant -281474976710656 : i64
  %mask = arith.subi %cells, %one : index
  loop.for %i = %zero to %count {
    %even = arith.addi %i, %i : index
    %odd = arith.addi %even, %one : index
    %p = loop.load %pairs[%even] : i64
    %c = loop.load %pairs[%odd] : i64
    %spread = arith.muli %p, %parent_factor : i64
    %group = arith.shrui %c, %group_bits : i64
    %sum = arith.addi %spread, %group : i64
    %mixed = arith.muli %sum, %factor : i64
    %high = arith.shrui %mixed, %half : i64
    %place = arith.xori %mixed, %high : i64
    %inside = arith.andi %c, %group_mask : i64
    %moved = arith.addi %place, %inside : i64
    %start = arith.index_cast %moved : i64 to index
    %first = arith.andi %start, %mask : index
    %within = arith.shli %c, %above_group : i64
    %told = arith.xori %mixed, %within : i64
    %bits = arith.andi %told, %above_number : i64
    %slot = arith.addi %i, %one : index
    %number = arith.index_cast %slot : index to i64
    %own = arith.ori %number, %bits : i64
    %wanted = arith.select %frees, %own, %empty : i64
    %stored = arith.select %frees, %empty, %own : i64
    %cell = loop.cell %first : index
    %step = loop.cell %one : index
    loop.while {
      %at = loop.get %cell : index
      %held = loop.load %table[%at] : i64
      %other = arith.cmpi ne, %held, %wanted : i64
      loop.condition %other
    } do {
      %at = loop.get %cell : index
      %distance = loop.get %step : index
      %next = arith.addi %at, %distance : index
      %wrapped = arith.andi %next, %mask : index
      loop.set %wrapped, %cell : index
      %farther = arith.addi %distance, %one : index
      loop.set %farther, %step : index
    }
    %at = loop.get %cell : index
    loop.store %stored, %table[%at] : i64
  }
  func.return
}

// Twice as many cells, 64 at least; `cells` holds their number.
func.func @irtensor.map.widen(
    %table: !loop.growable<i64>, %cells: !loop.buffer<index>, %pairs: !loop.buffer<i64>, %count: index) {
  %zero = arith.constant 0 : index
  %fewest = arith.constant 64 : index
  %empty = arith.constant 0 : i64
  %no = arith.constant 0 : i1
  %before = loop.load %cells[%zero] : index
  %twice = arith.addi %before, %before : index
  %doubled = arith.maxsi %twice, %fewest : index
  loop.reserve %table, %doubled : i64
  loop.store %doubled, %cells[%zero] : index
  %data = loop.data %table : i64
  loop.fill %empty, %data[%zero to %doubled] : i64
  func.call @irtensor.map.change(%data, %doubled, %pairs, %count, %no) :
    (!loop.buffer<i64>, index, !loop.buffer<i64>, index, i1) -> ()
  func.return
}

// Lists the pairs by parent, and the pairs of each by coordinate if `ordered`, or as they were inserted. Steps keep the
// order of what they find equal. Two lists more, and 2^`digit_bits` counts, are memory that it may use.
func.func @irtensor.map.list(
    %pairs: !loop.buffer<i64>, %count: index, %parents: index, %positions: !loop.buffer<i64>,
    %coordinates: !loop.buffer<i64>, %slots: !loop.buffer<i64>, %other_coordinates: !loop.buffer<i64>,
    %other_slots: !loop.buffer<i64>, %counts: !loop.buffer<i64>, %digit_bits: index, %ordered: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nothing = arith.constant 0 : i64
  %yes = arith.constant 1 : i1
  // In the order of insertion; which bits coordinates have, and whether all is in order.
  %bits = loop.cell %nothing : i64
  %in_order = loop.cell %yes : i1
  %last_parent = loop.cell %nothing : i64
  %last = loop.cell %nothing : i64
  loop.for %i = %zero to %count {
    %even = arith.addi %i, %i : index
    %odd = arith.addi %even, %one : index
    %parent = loop.load %pairs[%even] : i64
    %coordinate = loop.load %pairs[%odd] : i64
    loop.store %coordinate, %coordinates[%i] : i64
    %slot = arith.index_cast %i : index to i64
    loop.store %slot, %slots[%i] : i64
    %known = loop.get %bits : i64
    %all = arith.ori %known, %coordinate : i64
    loop.set %all, %bits : i64
    %parent_before = loop.get %last_parent : i64
    %before = loop.get %last : i64
    %later = arith.cmpi sgt, %parent, %parent_before : i64
    %equal = arith.cmpi eq, %parent, %parent_before : i64
    %grows = arith.cmpi sge, %coordinate, %before : i64
    %behind = arith.andi %equal, %grows : i1
    %follows = arith.ori %later, %behind : i1
    %until_now = loop.get %in_order : i1
    %still = arith.andi %until_now, %follows : i1
    loop.set %still, %in_order : i1
    loop.set %parent, %last_parent : i64
    loop.set %coordinate, %last : i64
  }
  // Whether the list is where it was, or in the other one.
  %is_own = loop.cell %yes : i1
  %sorted = loop.get %in_order : i1
  %unsorted = arith.xori %sorted, %yes : i1
  %sorts = arith.andi %ordered, %unsorted : i1
  loop.if %sorts {
    // To count digits costs more than to sort so few by insertion.
    %few = arith.constant 48 : index
    %is_short = arith.cmpi sle, %count, %few : index
    loop.if %is_short {
      func.call @irtensor.map.sort(%coordinates, %slots, %count) :
        (!loop.buffer<i64>, !loop.buffer<i64>, index) -> ()
    } else {
      // By one digit after the other, the lowest first, from one list to the other and back.
      %most = arith.constant 63 : index
      %shift = loop.cell %zero : index
      loop.while {
        %lower = loop.get %shift : index
        %bounded = arith.minsi %lower, %most : index
        %by = arith.index_cast %bounded : index to i64
        %of_coordinates = loop.get %bits : i64
        %left = arith.shrui %of_coordinates, %by : i64
        %more = arith.cmpi ne, %left, %nothing : i64
        loop.condition %more
      } do {
        %lower = loop.get %shift : index
        %forwards = loop.get %is_own : i1
        loop.if %forwards {
          func.call @irtensor.map.distribute(
              %coordinates, %slots, %other_coordinates, %other_slots, %count, %counts, %lower, %digit_bits) :
            (!loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>, index, !loop.buffer<i64>,
             index, index) -> ()
        } else {
          func.call @irtensor.map.distribute(
              %other_coordinates, %other_slots, %coordinates, %slots, %count, %counts, %lower, %digit_bits) :
            (!loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>, index, !loop.buffer<i64>,
             index, index) -> ()
        }
        %backwards = arith.xori %forwards, %yes : i1
        loop.set %backwards, %is_own : i1
        %higher = arith.addi %lower, %digit_bits : index
        loop.set %higher, %shift : index
      }
    }
  }
  %stayed = loop.get %is_own : i1
  %several = arith.cmpi sgt, %parents, %one : index
  loop.if %several {
    loop.if %stayed {
      loop.copy %coordinates[%zero], %other_coordinates[%zero], %count : i64
      loop.copy %slots[%zero], %other_slots[%zero], %count : i64
    }
    func.call @irtensor.map.group(
        %pairs, %count, %parents, %positions, %other_coordinates, %other_slots, %coordinates, %slots) :
      (!loop.buffer<i64>, index, index, !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>,
       !loop.buffer<i64>) -> ()
  } else {
    loop.if %stayed {
    } else {
      loop.copy %other_coordinates[%zero], %coordinates[%zero], %count : i64
      loop.copy %other_slots[%zero], %slots[%zero], %count : i64
    }
    loop.store %nothing, %positions[%zero] : i64
    %end = arith.index_cast %count : index to i64
    loop.store %end, %positions[%parents] : i64
  }
  func.return
}

// Sorts a short list by insertion.
func.func private @irtensor.map.sort(%coordinates: !loop.buffer<i64>, %slots: !loop.buffer<i64>, %count: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %yes = arith.constant 1 : i1
  %no = arith.constant 0 : i1
  loop.for %i = %one to %count {
    %coordinate = loop.load %coordinates[%i] : i64
    %slot = loop.load %slots[%i] : i64
    %place = loop.cell %i : index
    %searching = loop.cell %yes : i1
    loop.while {
      %on = loop.get %searching : i1
      loop.condition %on
    } do {
      %at = loop.get %place : index
      %before = arith.subi %at, %one : index
      %other = loop.load %coordinates[%before] : i64
      %greater = arith.cmpi sgt, %other, %coordinate : i64
      loop.if %greater {
        loop.store %other, %coordinates[%at] : i64
        %other_slot = loop.load %slots[%before] : i64
        loop.store %other_slot, %slots[%at] : i64
        loop.set %before, %place : index
        %more = arith.cmpi ne, %before, %zero : index
        loop.set %more, %searching : i1
      } else {
        loop.set %no, %searching : i1
      }
    }
    %to = loop.get %place : index
    loop.store %coordinate, %coordinates[%to] : i64
    loop.store %slot, %slots[%to] : i64
  }
  func.return
}

// Distributes a list by the digit of its coordinates behind `shift` bits.
func.func private @irtensor.map.distribute(
    %coordinates: !loop.buffer<i64>, %slots: !loop.buffer<i64>, %to_coordinates: !loop.buffer<i64>,
    %to_slots: !loop.buffer<i64>, %count: index, %counts: !loop.buffer<i64>, %shift: index, %digit_bits: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %more = arith.constant 1 : i64
  %nothing = arith.constant 0 : i64
  %by = arith.index_cast %shift : index to i64
  %values = arith.shli %one, %digit_bits : index
  %largest = arith.subi %values, %one : index
  %mask = arith.index_cast %largest : index to i64
  loop.fill %nothing, %counts[%zero to %values] : i64
  loop.for %i = %zero to %count {
    %coordinate = loop.load %coordinates[%i] : i64
    %high = arith.shrui %coordinate, %by : i64
    %low = arith.andi %high, %mask : i64
    %digit = arith.index_cast %low : i64 to index
    %old = loop.load %counts[%digit] : i64
    %new = arith.addi %old, %more : i64
    loop.store %new, %counts[%digit] : i64
  }
  loop.prefix_sum %counts[%zero to %largest] : i64
  loop.for %i = %zero to %count {
    %coordinate = loop.load %coordinates[%i] : i64
    %high = arith.shrui %coordinate, %by : i64
    %low = arith.andi %high, %mask : i64
    %digit = arith.index_cast %low : i64 to index
    %own = loop.load %counts[%digit] : i64
    %after = arith.addi %own, %more : i64
    loop.store %after, %counts[%digit] : i64
    %to = arith.index_cast %own : i64 to index
    loop.store %coordinate, %to_coordinates[%to] : i64
    %slot = loop.load %slots[%i] : i64
    loop.store %slot, %to_slots[%to] : i64
  }
  func.return
}

// Distributes a list by parent; `positions` then says where the part of each parent begins. While parts are filled, the
// place for parent p is kept one further, which becomes the end of its part.
func.func private @irtensor.map.group(
    %pairs: !loop.buffer<i64>, %count: index, %parents: index, %positions: !loop.buffer<i64>,
    %coordinates: !loop.buffer<i64>, %slots: !loop.buffer<i64>, %to_coordinates: !loop.buffer<i64>,
    %to_slots: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %more = arith.constant 1 : i64
  %nothing = arith.constant 0 : i64
  %number = arith.addi %parents, %one : index
  loop.fill %nothing, %positions[%zero to %number] : i64
  loop.for %i = %zero to %count {
    %even = arith.addi %i, %i : index
    %own = loop.load %pairs[%even] : i64
    %parent = arith.index_cast %own : i64 to index
    %next = arith.addi %parent, %one : index
    %old = loop.load %positions[%next] : i64
    %new = arith.addi %old, %more : i64
    loop.store %new, %positions[%next] : i64
  }
  loop.prefix_sum %positions[%one to %parents] : i64
  loop.for %i = %zero to %count {
    %slot = loop.load %slots[%i] : i64
    %pair = arith.index_cast %slot : i64 to index
    %even = arith.addi %pair, %pair : index
    %own = loop.load %pairs[%even] : i64
    %parent = arith.index_cast %own : i64 to index
    %next = arith.addi %parent, %one : index
    %place = loop.load %positions[%next] : i64
    %after = arith.addi %place, %more : i64
    loop.store %after, %positions[%next] : i64
    %to = arith.index_cast %place : i64 to index
    %coordinate = loop.load %coordinates[%i] : i64
    loop.store %coordinate, %to_coordinates[%to] : i64
    loop.store %slot, %to_slots[%to] : i64
  }
  func.return
}
