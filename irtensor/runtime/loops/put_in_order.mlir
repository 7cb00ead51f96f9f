// Elements of any type moved to the positions that a permutation says.

!element = i64

func.func @put(
    %from: !loop.buffer<!element>, %positions: !loop.buffer<i32>, %to: !loop.buffer<!element>, %number: index) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %number {
    %own = loop.load %positions[%i] : i32
    %position = arith.index_cast %own : i32 to index
    %element = loop.load %from[%i] : !element
    loop.store %element, %to[%position] : !element
  }
  func.return
}
