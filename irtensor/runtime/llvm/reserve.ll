; Room for so much only if there is less, wherever the data of growables is.
define i32 @irtensor.reserve(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  %capacity = load i64, ptr %capacity.at
  %short = icmp sgt i64 %needed, %capacity
  br i1 %short, label %grow, label %enough
grow:
  %status = call i32 @irtensor.grow(ptr %slot, i64 %needed, i64 %size)
  ret i32 %status
enough:
  ret i32 0
}
