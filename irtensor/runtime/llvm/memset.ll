; What fills memory of a card with a pattern of bytes; behind launch.ll. It needs no kernel.

declare i32 @cuMemsetD16Async(ptr, i16 zeroext, i64, ptr)
declare i32 @cuMemsetD32Async(ptr, i32, i64, ptr)

; Writes a pattern of 1, 2 or 4 bytes so many times, one behind the other.
define i32 @irtensor.memset(ptr %context, ptr %address, i32 %pattern, i64 %bytes, i64 %count) nounwind {
entry:
  %none = icmp slt i64 %count, 1
  br i1 %none, label %done, label %fill
fill:
  call void @note_work(ptr %context)
  %stream = call ptr @stream(ptr %context)
  switch i64 %bytes, label %by.4 [
    i64 1, label %by.1
    i64 2, label %by.2
  ]
by.1:
  %byte = trunc i32 %pattern to i8
  %code.1 = call i32 @cuMemsetD8Async(ptr %address, i8 zeroext %byte, i64 %count, ptr %stream)
  %status.1 = call i32 @noted(ptr %context, i64 $call.cuMemsetD8Async$, i32 %code.1, i64 0)
  ret i32 %status.1
by.2:
  %half = trunc i32 %pattern to i16
  %code.2 = call i32 @cuMemsetD16Async(ptr %address, i16 zeroext %half, i64 %count, ptr %stream)
  %status.2 = call i32 @noted(ptr %context, i64 $call.cuMemsetD16Async$, i32 %code.2, i64 0)
  ret i32 %status.2
by.4:
  %code.4 = call i32 @cuMemsetD32Async(ptr %address, i32 %pattern, i64 %count, ptr %stream)
  %status.4 = call i32 @noted(ptr %context, i64 $call.cuMemsetD32Async$, i32 %code.4, i64 0)
  ret i32 %status.4
done:
  ret i32 0
}
