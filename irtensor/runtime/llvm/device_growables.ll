; What gives growables room in the memory of a card; behind launch.ll. Slots {data, capacity, size} are in the host's
; memory. The names and arguments are those of support.ll, so that the thread that runs a call finds its context.

declare i32 @cuMemAllocAsync(ptr, i64, ptr)
declare i32 @cuMemFreeAsync(ptr, ptr)
declare i32 @cuMemsetD8Async(ptr, i8 zeroext, i64, ptr)
declare i32 @cuMemcpyDtoDAsync_v2(ptr, ptr, i64, ptr)
declare ptr @pthread_getspecific(i32)
declare i64 @llvm.smax.i64(i64, i64)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

; Memory for `needed` elements, whose address goes to `data`.
define internal i32 @allocate(ptr %context, i64 %needed, i64 %size, ptr %data) nounwind {
entry:
  %product = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %needed, i64 %size)
  %bytes = extractvalue { i64, i1 } %product, 0
  %impossible = extractvalue { i64, i1 } %product, 1
  br i1 %impossible, label %fail, label %ask
ask:
  %length = call i64 @llvm.smax.i64(i64 %bytes, i64 $least.bytes$)
  %stream = call ptr @stream(ptr %context)
  %code = call i32 @cuMemAllocAsync(ptr %data, i64 %length, ptr %stream)
  %status = call i32 @noted(ptr %context, i64 $call.cuMemAllocAsync$, i32 %code, i64 %length)
  ret i32 %status
fail:
  %full = call i32 @noted(ptr %context, i64 $call.cuMemAllocAsync$, i32 $out.of.memory$, i64 -1)
  ret i32 %full
}

define internal i32 @give_back(ptr %context, ptr %data) nounwind {
entry:
  %nothing = icmp eq ptr %data, null
  br i1 %nothing, label %done, label %free
free:
  %stream = call ptr @stream(ptr %context)
  %code = call i32 @cuMemFreeAsync(ptr %data, ptr %stream)
  %status = call i32 @noted(ptr %context, i64 $call.cuMemFreeAsync$, i32 %code, i64 0)
  ret i32 %status
done:
  ret i32 0
}

; New memory takes the place of a slot's, which is given back; new memory that could not be filled is given back itself.
define internal i32 @replace(ptr %context, ptr %slot, ptr %data, i64 %capacity, i32 %filled) nounwind {
entry:
  %fine = icmp eq i32 %filled, 0
  br i1 %fine, label %take, label %fail
take:
  %old = load ptr, ptr %slot
  store ptr %data, ptr %slot
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  store i64 %capacity, ptr %capacity.at
  %freed = call i32 @give_back(ptr %context, ptr %old)
  ret i32 %freed
fail:
  %ignored = call i32 @give_back(ptr %context, ptr %data)
  ret i32 %filled
}

; Room for `needed` elements of `size` bytes in a growable {data, capacity, size}: twice the capacity, or `needed`
; elements if they are more. On failure the slot stays as it is.
define i32 @irtensor.grow(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %new = alloca ptr
  %key = load i32, ptr @key
  %context = call ptr @pthread_getspecific(i32 %key)
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  %capacity = load i64, ptr %capacity.at
  %doubled = shl i64 %capacity, 1
  %larger = call i64 @llvm.smax.i64(i64 %needed, i64 %doubled)
  %wanted = call i64 @llvm.smax.i64(i64 %larger, i64 64)
  %made = call i32 @allocate(ptr %context, i64 %wanted, i64 %size, ptr %new)
  %fine = icmp eq i32 %made, 0
  br i1 %fine, label %look, label %fail
look:
  %data = load ptr, ptr %new
  %old = load ptr, ptr %slot
  %has = icmp ne ptr %old, null
  %some = icmp sgt i64 %capacity, 0
  %copies = and i1 %has, %some
  br i1 %copies, label %copy, label %put
copy:
  %used = mul i64 %capacity, %size
  %stream = call ptr @stream(ptr %context)
  %code = call i32 @cuMemcpyDtoDAsync_v2(ptr %data, ptr %old, i64 %used, ptr %stream)
  %copied = call i32 @noted(ptr %context, i64 $call.cuMemcpyDtoDAsync_v2$, i32 %code, i64 0)
  br label %put
put:
  %filled = phi i32 [ 0, %look ], [ %copied, %copy ]
  %status = call i32 @replace(ptr %context, ptr %slot, ptr %data, i64 %wanted, i32 %filled)
  ret i32 %status
fail:
  ret i32 %made
}

; Room for `needed` elements that are all zero.
define i32 @irtensor.make_zeroed(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %new = alloca ptr
  %key = load i32, ptr @key
  %context = call ptr @pthread_getspecific(i32 %key)
  %made = call i32 @allocate(ptr %context, i64 %needed, i64 %size, ptr %new)
  %fine = icmp eq i32 %made, 0
  br i1 %fine, label %clear, label %fail
clear:
  %data = load ptr, ptr %new
  %bytes = mul i64 %needed, %size
  %length = call i64 @llvm.smax.i64(i64 %bytes, i64 $least.bytes$)
  %stream = call ptr @stream(ptr %context)
  %code = call i32 @cuMemsetD8Async(ptr %data, i8 zeroext 0, i64 %length, ptr %stream)
  %filled = call i32 @noted(ptr %context, i64 $call.cuMemsetD8Async$, i32 %code, i64 0)
  %status = call i32 @replace(ptr %context, ptr %slot, ptr %data, i64 %needed, i32 %filled)
  ret i32 %status
fail:
  ret i32 %made
}

; What takes the place of `free`: a failure is noted, and that of a call at last.
define void @irtensor.release(ptr %data) nounwind {
  %key = load i32, ptr @key
  %context = call ptr @pthread_getspecific(i32 %key)
  %status = call i32 @give_back(ptr %context, ptr %data)
  ret void
}
