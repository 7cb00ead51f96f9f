// One pass of sorting by digits: words, and elements along with them, moved to where a digit of the words belongs.

!element = i64

// The digit is the bits of `mask` behind `shift` lower ones. `counts`, all 0 before, has an element for each value of
// the digit, and one more.
func.func @move(
    %words: !loop.buffer<i64>, %moved: !loop.buffer<!element>, %words_to: !loop.buffer<i64>,
    %moved_to: !loop.buffer<!element>, %number: index, %shift: i64, %mask: i64, %counts: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i64
  loop.for %i = %zero to %number {
    %word = loop.load %words[%i] : i64
    %high = arith.shrui %word, %shift : i64
    %low = arith.andi %high, %mask : i64
    %digit = arith.index_cast %low : i64 to index
    %old = loop.load %counts[%digit] : i64
    %new = arith.addi %old, %one : i64
    loop.store %new, %counts[%digit] : i64
  }
  %values_less_one = arith.index_cast %mask : i64 to index
  %one_more = arith.constant 1 : index
  %values = arith.addi %values_less_one, %one_more : index
  loop.prefix_sum %counts[%zero to %values] : i64
  loop.for %i = %zero to %number {
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
