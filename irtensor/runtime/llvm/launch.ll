; What host code calls where its kernels run on a card; before memset.ll, device_growables.ll and reserve.ll. It calls
; functions of NVIDIA's driver itself. launch_code has the values of `$...$`.

declare i32 @cuLaunchKernel(ptr, i32, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr)
declare i32 @cuMemcpyDtoHAsync_v2(ptr, ptr, i64, ptr)
declare i32 @cuStreamSynchronize(ptr)
declare i32 @cuCtxGetCurrent(ptr)
declare i32 @cuCtxSetCurrent(ptr)
declare i32 @pthread_key_create(ptr, ptr)
declare i32 @pthread_setspecific(i32, ptr)
declare i64 @llvm.umin.i64(i64, i64)

; By which a thread finds the context of the call that it is in.
@key = internal global i32 0

; Once, before all else.
define i32 @irtensor.start() nounwind {
  %failed = call i32 @pthread_key_create(ptr @key, ptr null)
  ret i32 %failed
}

; A thread begins with a call.
define i32 @irtensor.enter(ptr %context) nounwind {
entry:
  %key = load i32, ptr @key
  %set = call i32 @pthread_setspecific(i32 %key, ptr %context)
  %before.at = getelementptr i8, ptr %context, i64 $context_before$
  %code = call i32 @cuCtxGetCurrent(ptr %before.at)
  %status = call i32 @noted(ptr %context, i64 $call.cuCtxGetCurrent$, i32 %code, i64 0)
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %change, label %out
change:
  %changed = call i32 @make_current(ptr %context, i64 $device_context$)
  br label %out
out:
  %result = phi i32 [ %status, %entry ], [ %changed, %change ]
  ret i32 %result
}

; It has ended it: the context of the driver that was current before is so again.
define i32 @irtensor.leave(ptr %context) nounwind {
  %key = load i32, ptr @key
  %set = call i32 @pthread_setspecific(i32 %key, ptr null)
  %status = call i32 @make_current(ptr %context, i64 $context_before$)
  ret i32 %status
}

; Makes one of two contexts of the driver current, where they are not the same.
define internal i32 @make_current(ptr %context, i64 %field) nounwind {
entry:
  %own.at = getelementptr i8, ptr %context, i64 $device_context$
  %before.at = getelementptr i8, ptr %context, i64 $context_before$
  %own = load ptr, ptr %own.at
  %before = load ptr, ptr %before.at
  %same = icmp eq ptr %own, %before
  br i1 %same, label %done, label %change
change:
  %wanted.at = getelementptr i8, ptr %context, i64 %field
  %wanted = load ptr, ptr %wanted.at
  %code = call i32 @cuCtxSetCurrent(ptr %wanted)
  %status = call i32 @noted(ptr %context, i64 $call.cuCtxSetCurrent$, i32 %code, i64 0)
  ret i32 %status
done:
  ret i32 0
}

; The status for an error of the driver, which is noted if it is the first one.
define internal i32 @noted(ptr %context, i64 %call, i32 %code, i64 %bytes) nounwind {
entry:
  %fine = icmp eq i32 %code, 0
  br i1 %fine, label %done, label %failed
failed:
  %call.at = getelementptr i8, ptr %context, i64 $failed_call$
  %earlier = load i64, ptr %call.at
  %first = icmp eq i64 %earlier, 0
  br i1 %first, label %note, label %say
note:
  store i64 %call, ptr %call.at
  %error = zext i32 %code to i64
  %error.at = getelementptr i8, ptr %context, i64 $error$
  store i64 %error, ptr %error.at
  %bytes.at = getelementptr i8, ptr %context, i64 $bytes$
  store i64 %bytes, ptr %bytes.at
  br label %say
say:
  %full = icmp eq i32 %code, $out.of.memory$
  %status = select i1 %full, i32 $no.memory.status$, i32 $failed.status$
  ret i32 %status
done:
  ret i32 0
}

; Launches a kernel, whose arguments are words of eight bytes each. Where there are more iterations than the largest
; grid has threads or blocks, each takes several.
define i32 @irtensor.launch(ptr %context, i64 %number, i64 %iterations, ptr %words) nounwind {
entry:
  %none = icmp slt i64 %iterations, 1
  br i1 %none, label %done, label %start
start:
  %kernels.at = getelementptr i8, ptr %context, i64 $kernels$
  %kernels = load ptr, ptr %kernels.at
  %kernel = getelementptr { ptr, i64, i64 }, ptr %kernels, i64 %number
  %function = load ptr, ptr %kernel
  %count.at = getelementptr { ptr, i64, i64 }, ptr %kernel, i64 0, i32 1
  %count = load i64, ptr %count.at
  %addresses = alloca ptr, i64 %count
  br label %each
each:
  %index = phi i64 [ 0, %start ], [ %next, %address ]
  %more = icmp slt i64 %index, %count
  br i1 %more, label %address, label %launch
address:
  %word.at = getelementptr i64, ptr %words, i64 %index
  %address.at = getelementptr ptr, ptr %addresses, i64 %index
  store ptr %word.at, ptr %address.at
  %next = add i64 %index, 1
  br label %each
launch:
  %threads.at = getelementptr { ptr, i64, i64 }, ptr %kernel, i64 0, i32 2
  %threads = load i64, ptr %threads.at
  %by.threads = icmp eq i64 %threads, 0
  %each.block = select i1 %by.threads, i64 $threads.per.block$, i64 1
  %size.wide = select i1 %by.threads, i64 $threads.per.block$, i64 %threads
  %size = trunc i64 %size.wide to i32
  %last = sub i64 %iterations, 1
  %full.blocks = udiv i64 %last, %each.block
  %wanted = add i64 %full.blocks, 1
  %bounded = call i64 @llvm.umin.i64(i64 %wanted, i64 $most.blocks$)
  %blocks = trunc i64 %bounded to i32
  %last.at = getelementptr i8, ptr %context, i64 $last_kernel$
  store i64 %number, ptr %last.at
  call void @note_work(ptr %context)
  %stream = call ptr @stream(ptr %context)
  %code = call i32 @cuLaunchKernel(ptr %function, i32 %blocks, i32 1, i32 1, i32 %size, i32 1, i32 1,
                                   i32 0, ptr %stream, ptr %addresses, ptr null)
  %status = call i32 @noted(ptr %context, i64 $call.cuLaunchKernel$, i32 %code, i64 0)
  ret i32 %status
done:
  ret i32 0
}

; The stream has something more to do.
define internal void @note_work(ptr %context) nounwind {
  %unfinished.at = getelementptr i8, ptr %context, i64 $unfinished$
  %unfinished = load i64, ptr %unfinished.at
  %more = add i64 %unfinished, 1
  store i64 %more, ptr %unfinished.at
  ret void
}

; Gives an element of the card's memory that is known. Copies any other from there, and waits until all that the stream
; has to do is done.
define i32 @irtensor.read(ptr %context, ptr %address, i64 %bytes, ptr %target) nounwind {
entry:
  %known.at = getelementptr i8, ptr %context, i64 $known$
  %known = load ptr, ptr %known.at
  %count.at = getelementptr i8, ptr %context, i64 $known_count$
  %count = load i64, ptr %count.at
  %wanted = ptrtoint ptr %address to i64
  br label %each
each:
  %index = phi i64 [ 0, %entry ], [ %next, %look ]
  %more = icmp slt i64 %index, %count
  br i1 %more, label %look, label %ask
look:
  %pair = getelementptr { i64, i64 }, ptr %known, i64 %index
  %held = load i64, ptr %pair
  %next = add i64 %index, 1
  %found = icmp eq i64 %held, %wanted
  br i1 %found, label %take, label %each
take:
  %value.at = getelementptr { i64, i64 }, ptr %known, i64 %index, i32 1
  %value = load i64, ptr %value.at
  store i64 %value, ptr %target
  br label %out
ask:
  %stream = call ptr @stream(ptr %context)
  %copy.code = call i32 @cuMemcpyDtoHAsync_v2(ptr %target, ptr %address, i64 %bytes, ptr %stream)
  %copied = call i32 @noted(ptr %context, i64 $call.cuMemcpyDtoHAsync_v2$, i32 %copy.code, i64 0)
  %fine = icmp eq i32 %copied, 0
  br i1 %fine, label %wait, label %out
wait:
  %code = call i32 @cuStreamSynchronize(ptr %stream)
  %waited = call i32 @noted(ptr %context, i64 $call.cuStreamSynchronize$, i32 %code, i64 0)
  %there = icmp eq i32 %waited, 0
  br i1 %there, label %finished, label %out
finished:
  %unfinished.at = getelementptr i8, ptr %context, i64 $unfinished$
  store i64 0, ptr %unfinished.at
  %waited.at = getelementptr i8, ptr %context, i64 $waited$
  store i64 1, ptr %waited.at
  br label %out
out:
  %status = phi i32 [ 0, %take ], [ %copied, %ask ], [ %waited, %wait ], [ 0, %finished ]
  ret i32 %status
}

define internal ptr @stream(ptr %context) nounwind {
  %stream.at = getelementptr i8, ptr %context, i64 $stream$
  %stream = load ptr, ptr %stream.at
  ret ptr %stream
}
