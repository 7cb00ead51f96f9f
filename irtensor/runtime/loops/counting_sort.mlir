// Stable sorting by one small key in a single pass: where each entry goes, and elements of any type put there.

!key = i64

// For each entry its position where entries are sorted by key, and for each key how many entries have it: `counts` is
// all 0 before, `ends` has one element more. Status 2, with nothing sorted, if a key is not in [0, extent).
func.func @sort(
    %keys: !loop.buffer<!key>, %counts: !loop.buffer<i64>, %ends: !loop.buffer<i64>, %positions: !loop.buffer<i32>,
    %number: index, %extent: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i64
  loop.for %i = %zero to %number {
    %own = loop.load %keys[%i] : !key
    %key = arith.index_cast %own : !key to index
    %inside = arith.cmpi ult, %key, %extent : index
    loop.require %inside else 2
    %old = loop.load %counts[%key] : i64
    %new = arith.addi %old, %one : i64
    loop.store %new, %counts[%key] : i64
  }
  loop.copy %counts[%zero], %ends[%zero], %extent : i64
  loop.prefix_sum %ends[%zero to %extent] : i64
  // Where the entries with a key end, when all before them have their position.
  loop.for %i = %zero to %number {
    %own = loop.load %keys[%i] : !key
    %key = arith.index_cast %own : !key to index
    %position = loop.load %ends[%key] : i64
    %after = arith.addi %position, %one : i64
    loop.store %after, %ends[%key] : i64
    %narrow = arith.trunci %position : i64 to i32
    loop.store %narrow, %positions[%i] : i32
  }
  func.return
}
