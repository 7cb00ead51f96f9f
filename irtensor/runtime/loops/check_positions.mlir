// A check on a GPU: positions rise from 0 to the number of entries. `wrong[0]` counts those that do not.

!position = i32

func.func @check_positions(%parents: index, %entries: index, %pos: !loop.buffer<!position>, %wrong: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %unit = arith.constant 1 : i64
  %end = arith.addi %parents, %one : index
  loop.parallel %p = %zero to %end {
    %before = arith.subi %p, %one : index
    %earlier = arith.maxsi %before, %zero : index
    %narrow = loop.load %pos[%p] : !position
    %value = arith.index_cast %narrow : !position to index
    %narrow_earlier = loop.load %pos[%earlier] : !position
    %value_before = arith.index_cast %narrow_earlier : !position to index
    %falls = arith.cmpi slt, %value, %value_before : index
    %is_first = arith.cmpi eq, %p, %zero : index
    %is_last = arith.cmpi eq, %p, %parents : index
    %is_some = arith.cmpi ne, %value, %zero : index
    %is_other = arith.cmpi ne, %value, %entries : index
    %begins_wrong = arith.andi %is_first, %is_some : i1
    %ends_wrong = arith.andi %is_last, %is_other : i1
    %at_an_end = arith.ori %begins_wrong, %ends_wrong : i1
    %is_wrong = arith.ori %falls, %at_an_end : i1
    loop.if %is_wrong {
      loop.atomic %wrong[%zero] (%old: i64) {
        %new = arith.addi %old, %unit : i64
        loop.yield %new : i64
      }
    }
  }
  func.return
}
