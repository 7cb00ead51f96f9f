; Fibers, between which functions of the C library change. A context begins with flags, the one to go on with at the
; end, the stack, flags of it, and its size. Linux has them so on every processor of 64 bits.

declare i32 @getcontext(ptr) returns_twice
declare void @makecontext(ptr, ptr, i32, ...)
declare i32 @swapcontext(ptr, ptr)

define internal void @switch(ptr %from, ptr %to) noinline nounwind {
  %failed = call i32 @swapcontext(ptr %from, ptr %to)
  ret void
}

define internal void @prepare(ptr %context, ptr %stack, i64 %bytes) nounwind {
  %failed = call i32 @getcontext(ptr %context) returns_twice
  %following.at = getelementptr i8, ptr %context, i64 8
  %stack.at = getelementptr i8, ptr %context, i64 16
  %bytes.at = getelementptr i8, ptr %context, i64 32
  store ptr null, ptr %following.at
  store ptr %stack, ptr %stack.at
  store i64 %bytes, ptr %bytes.at
  call void (ptr, ptr, i32, ...) @makecontext(ptr %context, ptr @begin, i32 0)
  ret void
}
