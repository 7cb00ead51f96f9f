; What kernels call and what is the same for all of them; behind interruption.ll and before reserve.ll.

declare ptr @realloc(ptr, i64)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare i64 @llvm.smax.i64(i64, i64)

; Room for `needed` elements of `size` bytes in a growable {data, capacity, size}: twice the capacity, or what is needed
; if that is more. On failure, status 1, the slot stays as it is.
define i32 @irtensor.grow(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  %capacity = load i64, ptr %capacity.at
  %doubled = shl i64 %capacity, 1
  %larger = call i64 @llvm.smax.i64(i64 %needed, i64 %doubled)
  %wanted = call i64 @llvm.smax.i64(i64 %larger, i64 64)
  %limit = sdiv i64 4611686018427387904, %size
  %impossible = icmp sgt i64 %wanted, %limit
  br i1 %impossible, label %fail, label %resize
resize:
  %length = mul i64 %wanted, %size
  %old = load ptr, ptr %slot
  %data = call ptr @realloc(ptr %old, i64 %length)
  %missing = icmp eq ptr %data, null
  br i1 %missing, label %fail, label %moved
moved:
  store ptr %data, ptr %slot
  store i64 %wanted, ptr %capacity.at
  ret i32 0
fail:
  ret i32 1
}

; Room for `needed` elements that are all zero: memory that the system hands out is, so nothing is written here.
define i32 @irtensor.make_zeroed(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %data = call ptr @calloc(i64 %needed, i64 %size)
  %missing = icmp eq ptr %data, null
  br i1 %missing, label %fail, label %made
made:
  %old = load ptr, ptr %slot
  call void @free(ptr %old)
  store ptr %data, ptr %slot
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  store i64 %needed, ptr %capacity.at
  ret i32 0
fail:
  ret i32 1
}

; The iterations of a parallel loop: one is a call, several are for the pool of the context.
define i32 @irtensor.run_iterations(ptr %context, ptr %body, ptr %captured, i64 %begin, i64 %end) nounwind {
entry:
  %iterations = sub i64 %end, %begin
  %many = icmp sgt i64 %iterations, 1
  br i1 %many, label %shared, label %few
few:
  %one = icmp eq i64 %iterations, 1
  br i1 %one, label %alone, label %none
none:
  ret i32 0
alone:
  %own = call i32 %body(ptr %captured, i64 %begin, ptr %context)
  ret i32 %own
shared:
  %run.at = getelementptr %context, ptr %context, i32 0, i32 0
  %run = load ptr, ptr %run.at
  %status = call i32 %run(ptr %context, ptr %body, ptr %captured, i64 %begin, i64 %end)
  ret i32 %status
}

declare i64 @llvm.smin.i64(i64, i64)

; After how many iterations of a loop, `most` at most, this is to be called again; 0 if there shall be no more. `pace`
; is the loop's {iterations, context, most, time of the last call, time of the last look for signals}; iterations are 0
; before the first call. They may take nanoseconds or most of a second, which this finds out: one at first, many
; times more while they take no time that the clock would notice, fewer if they turn out to take long.
define preserve_mostcc i64 @irtensor.poll(ptr %pace) nounwind {
entry:
  %context.at = getelementptr i64, ptr %pace, i64 1
  %most.at = getelementptr i64, ptr %pace, i64 2
  %called.at = getelementptr i64, ptr %pace, i64 3
  %looked.at = getelementptr i64, ptr %pace, i64 4
  %context = load ptr, ptr %context.at
  %most = load i64, ptr %most.at
  %iterations = load i64, ptr %pace
  %called = load i64, ptr %called.at
  %looked = load i64, ptr %looked.at
  %time = call i64 @now()
  store i64 %time, ptr %called.at
  %is.first = icmp eq i64 %iterations, 0
  br i1 %is.first, label %begin, label %measure
begin:
  store i64 %time, ptr %looked.at
  store i64 1, ptr %pace
  ret i64 1
measure:
  %passed = sub i64 %time, %called
  %short = icmp slt i64 %passed, 1000000
  %more = shl i64 %iterations, 6
  %bounded = call i64 @llvm.smin.i64(i64 %more, i64 %most)
  %long = call i1 @is_due(i64 %time, i64 %called)
  %shrunk = lshr i64 %iterations, 3
  %fewer = call i64 @llvm.smax.i64(i64 %shrunk, i64 1)
  %kept = select i1 %long, i64 %fewer, i64 %iterations
  %next = select i1 %short, i64 %bounded, i64 %kept
  store i64 %next, ptr %pace
  %status.at.at = getelementptr %context, ptr %context, i32 0, i32 5
  %status.at = load ptr, ptr %status.at.at
  %is.caller = icmp eq ptr %status.at, null
  br i1 %is.caller, label %own, label %other
other:
  %failure = load atomic i32, ptr %status.at monotonic, align 4
  %fine = icmp eq i32 %failure, 0
  %goes.on = select i1 %fine, i64 %next, i64 0
  ret i64 %goes.on
own:
  %due = call i1 @is_due(i64 %time, i64 %looked)
  br i1 %due, label %look, label %go
look:
  store i64 %time, ptr %looked.at
  %pool.at = getelementptr %context, ptr %context, i32 0, i32 4
  %pool = load ptr, ptr %pool.at
  %interrupted = call i32 @interrupted(ptr %pool)
  %quiet = icmp eq i32 %interrupted, 0
  br i1 %quiet, label %go, label %stop
go:
  ret i64 %next
stop:
  ret i64 0
}
