// Transposition of a list of coordinates in segments, as of CSR to CSC. The functions are called in this order.

!position = i64
!coordinate = i64
!element = i64

// Status 2 unless positions are those of segments that follow each other, from 0 to the number of entries.
func.func @check(%positions: !loop.buffer<!position>, %segments: index, %number: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %first = loop.load %positions[%zero] : !position
  %none = arith.constant 0 : !position
  %begins = arith.cmpi eq, %first, %none : !position
  loop.require %begins else 2
  loop.for %s = %zero to %segments {
    %next = arith.addi %s, %one : index
    %begin = loop.load %positions[%s] : !position
    %end = loop.load %positions[%next] : !position
    %grows = arith.cmpi sle, %begin, %end : !position
    loop.require %grows else 2
  }
  %last = loop.load %positions[%segments] : !position
  %all = arith.index_cast %last : !position to index
  %complete = arith.cmpi eq, %all, %number : index
  loop.require %complete else 2
  func.return
}

// Counts the entries from `from` to `to` by coordinate: that of coordinate c is at c + 1. All of `ends` is 0 before.
// Status 2 if a coordinate is not in [0, extent).
func.func @count(
    %coordinates: !loop.buffer<!coordinate>, %ends: !loop.buffer<!position>, %extent: index, %from: index,
    %to: index) {
  %one = arith.constant 1 : index
  %more = arith.constant 1 : !position
  loop.for %i = %from to %to {
    %own = loop.load %coordinates[%i] : !coordinate
    %c = arith.index_cast %own : !coordinate to index
    %inside = arith.cmpi ult, %c, %extent : index
    loop.require %inside else 2
    %next = arith.addi %c, %one : index
    %old = loop.load %ends[%next] : !position
    %new = arith.addi %old, %more : !position
    loop.store %new, %ends[%next] : !position
  }
  func.return
}

// Where the entries of each coordinate begin, one further on; behind them is their number.
func.func @sum(%ends: !loop.buffer<!position>, %extent: index) {
  %one = arith.constant 1 : index
  %upper = arith.addi %extent, %one : index
  loop.prefix_sum %ends[%one to %upper] : !position
  func.return
}

// Moves the entries of the segments from `first` to `last`. Where those of a coordinate begin becomes where they end,
// which is where those of the next one begin.
func.func @move(
    %positions: !loop.buffer<!position>, %coordinates: !loop.buffer<!coordinate>, %values: !loop.buffer<!element>,
    %ends: !loop.buffer<!position>, %numbers: !loop.buffer<!coordinate>, %moved: !loop.buffer<!element>,
    %first: index, %last: index) {
  %one = arith.constant 1 : index
  %more = arith.constant 1 : !position
  loop.for %s = %first to %last {
    %after = arith.addi %s, %one : index
    %from_own = loop.load %positions[%s] : !position
    %from = arith.index_cast %from_own : !position to index
    %to_own = loop.load %positions[%after] : !position
    %to = arith.index_cast %to_own : !position to index
    %number = arith.index_cast %s : index to !coordinate
    loop.for %i = %from to %to {
      %own = loop.load %coordinates[%i] : !coordinate
      %c = arith.index_cast %own : !coordinate to index
      %next = arith.addi %c, %one : index
      %place = loop.load %ends[%next] : !position
      %end = arith.addi %place, %more : !position
      loop.store %end, %ends[%next] : !position
      %at = arith.index_cast %place : !position to index
      loop.store %number, %numbers[%at] : !coordinate
      %element = loop.load %values[%i] : !element
      loop.store %element, %moved[%at] : !element
    }
  }
  func.return
}
