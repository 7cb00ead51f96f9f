; Fibers, between which instructions for one processor change; fiber_code has the values of `$...$`.

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal void @switch(ptr %from, ptr %to) naked noinline nounwind {
  call void asm sideeffect "$switch$", "~{memory}"()
  unreachable
}

; No frame is below that of @begin: debuggers find zeros there.
define internal void @prepare(ptr %context, ptr %stack, i64 %bytes) nounwind {
  %frame = getelementptr i8, ptr %context, i64 -$frame$
  call void @llvm.memset.p0.i64(ptr align 16 %frame, i8 0, i64 $frame$, i1 false)
  %address.at = getelementptr i8, ptr %frame, i64 $address$
  store ptr @begin, ptr %address.at
  store ptr %frame, ptr %context
  ret void
}
