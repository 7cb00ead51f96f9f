// Elements of any type moved to the positions that a permutation says.

!element = i64

func.func @put(
    %from: !loop.buffer<!element>, %places: !loop.buffer<i32>, %to: !loop.buffer<!element>, %number: index) {
  %zero = arith.constant 0 : index
  loop.for %i = %zero to %number {
    %own = loop.load %places[%i] : i32
    %place = arith.index_cast %own : i32 to index
    %element = loop.load %from[%i] : !element
    loop.store %element, %to[%place] : !element
  }
  func.return
}
