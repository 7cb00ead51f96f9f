// Sorting by digits: words, and elements along with them, moved to where a digit of the words belongs.

!element = i64

// One pass over the entries from `first` to `last`, which stay between these. The digit is the bits of `mask` behind
// `shift` lower ones. `counts` has an element for each value of the digit, and one more; afterwards, the element of a
// value is the end of its entries.
func.func @move(
    %words: !loop.buffer<i64>, %moved: !loop.buffer<!element>, %words_to: !loop.buffer<i64>,
    %moved_to: !loop.buffer<!element>, %first: index, %last: index, %shift: i64, %mask: i64,
    %counts: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i64
  %values_less_one = arith.index_cast %mask : i64 to index
  %one_more = arith.constant 1 : index
  %values = arith.addi %values_less_one, %one_more : index
  loop.fill %none, %counts[%zero to %values] : i64
  loop.for %i = %first to %last {
    %word = loop.load %words[%i] : i64
    %high = arith.shrui %word, %shift : i64
    %low = arith.andi %high, %mask : i64
    %digit = arith.index_cast %low : i64 to index
    %old = loop.load %counts[%digit] : i64
    %new = arith.addi %old, %one : i64
    loop.store %new, %counts[%digit] : i64
  }
  %base = arith.index_cast %first : index to i64
  %before = loop.cell %base : i64
  loop.for %value = %zero to %values {
    %begin = loop.get %before : i64
    %count = loop.load %counts[%value] : i64
    loop.store %begin, %counts[%value] : i64
    %end = arith.addi %begin, %count : i64
    loop.set %end, %before : i64
  }
  loop.for %i = %first to %last {
    %word = loop.load %words[%i] : i64
    %high = arith.shrui %word, %shift : i64
    %low = arith.andi %high, %mask : i64
    %digit = arith.index_cast %low : i64 to index
    %own = loop.load %counts[%digit] : i64
    %after = arith.addi %own, %one : i64
    loop.store %after, %counts[%digit] : i64
    %to = arith.index_cast %own : i64 to index
    loop.store %word, %words_to[%to] : i64
    %element = loop.load %moved[%i] : !element
    loop.store %element, %moved_to[%to] : !element
  }
  func.return
}

// Sorts each of so many parts by itself: `ends` has the ends of the parts. It sorts by two digits of `bits` bits behind `shift` lower
// ones, `pairs` times. Entries are moved to the second arrays and back, so that a part stays in the cache.
func.func @sort_parts(
    %words: !loop.buffer<i64>, %moved: !loop.buffer<!element>, %words_other: !loop.buffer<i64>,
    %moved_other: !loop.buffer<!element>, %ends: !loop.buffer<i64>, %parts: index, %shift: i64, %bits: i64,
    %pairs: index, %counts: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %values = arith.shli %one, %bits : i64
  %mask = arith.subi %values, %one : i64
  %both = arith.addi %bits, %bits : i64
  %begin = loop.cell %zero : index
  loop.for %part = %zero to %parts {
    %first = loop.get %begin : index
    %end = loop.load %ends[%part] : i64
    %last = arith.index_cast %end : i64 to index
    loop.set %last, %begin : index
    %some = arith.cmpi slt, %first, %last : index
    loop.if %some {
      loop.for %pair = %zero to %pairs {
        %number = arith.index_cast %pair : index to i64
        %below = arith.muli %number, %both : i64
        %low = arith.addi %shift, %below : i64
        %high = arith.addi %low, %bits : i64
        func.call @move(%words, %moved, %words_other, %moved_other, %first, %last, %low, %mask, %counts) : (!loop.buffer<i64>, !loop.buffer<!element>, !loop.buffer<i64>, !loop.buffer<!element>, index, index, i64, i64, !loop.buffer<i64>) -> ()
        func.call @move(%words_other, %moved_other, %words, %moved, %first, %last, %high, %mask, %counts) : (!loop.buffer<i64>, !loop.buffer<!element>, !loop.buffer<i64>, !loop.buffer<!element>, index, index, i64, i64, !loop.buffer<i64>) -> ()
      }
    }
  }
  func.return
}
