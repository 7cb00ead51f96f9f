; How a thread of the emulator waits for others: for all of its block, or for lanes of its warp; behind
; emulated_threads.ll.

; Lets other threads run. Those at the barrier go on if all that are left are there.
define internal void @stop(ptr %launch, i32 %state) nounwind {
entry:
  %live.at = getelementptr i8, ptr %launch, i64 $launch.live$
  %at.barrier.at = getelementptr i8, ptr %launch, i64 $launch.at_barrier$
  %thread = load ptr, ptr @thread
  %state.at = getelementptr i8, ptr %thread, i64 $thread.state$
  store i32 %state, ptr %state.at
  %live = load i32, ptr %live.at
  %at.barrier = load i32, ptr %at.barrier.at
  %complete = icmp eq i32 %live, %at.barrier
  br i1 %complete, label %release, label %leave
release:
  store i32 0, ptr %at.barrier.at
  %size = call i32 @size(ptr %launch)
  br label %each
each:
  %number = phi i32 [ 0, %release ], [ %next, %following ]
  %other = call ptr @thread_at(ptr %launch, i32 %number)
  %other.at = getelementptr i8, ptr %other, i64 $thread.state$
  %other.state = load i32, ptr %other.at
  %waits = icmp eq i32 %other.state, $waits$
  br i1 %waits, label %wake, label %following
wake:
  store i32 $ready$, ptr %other.at
  br label %following
following:
  %next = add i32 %number, 1
  %more = icmp slt i32 %next, %size
  br i1 %more, label %each, label %leave
leave:
  call void @pause()
  ret void
}

define internal void @pause() nounwind {
  %thread = load ptr, ptr @thread
  %context.at = getelementptr i8, ptr %thread, i64 $thread.context$
  %context = load ptr, ptr %context.at
  call void @switch(ptr %context, ptr @scheduler)
  ret void
}

; Waits for all threads of the block that have not ended, at the same call.
define void @emulated.barrier.cta.sync.aligned.all(i32 %site, i32 %barrier) nounwind {
  %launch = load ptr, ptr @launch
  %thread = load ptr, ptr @thread
  %site.at = getelementptr i8, ptr %thread, i64 $thread.site$
  store i32 %site, ptr %site.at
  %at.barrier.at = getelementptr i8, ptr %launch, i64 $launch.at_barrier$
  %barrier.at = getelementptr i8, ptr %launch, i64 $launch.barrier$
  %before = load i32, ptr %at.barrier.at
  %is.first = icmp eq i32 %before, 0
  %others = load i32, ptr %barrier.at
  %expected = select i1 %is.first, i32 %site, i32 %others
  store i32 %expected, ptr %barrier.at
  %same = icmp eq i32 %expected, %site
  %one = zext i1 %same to i32
  %now = add i32 %before, %one
  store i32 %now, ptr %at.barrier.at
  call void @stop(ptr %launch, i32 $waits$)
  ret void
}

define void @emulated.bar.warp.sync(i32 %site, i32 %mask) nounwind {
  %values = call ptr @meet(i32 %site, i32 %mask, i64 0)
  ret void
}

; Waits for the lanes of a mask, at the same call and with the same mask; gives the value of each, poison for others.
define internal ptr @meet(i32 %site, i32 %mask, i64 %value) nounwind {
entry:
  %launch = load ptr, ptr @launch
  %thread = load ptr, ptr @thread
  %state.at = getelementptr i8, ptr %thread, i64 $thread.state$
  %site.at = getelementptr i8, ptr %thread, i64 $thread.site$
  %mask.at = getelementptr i8, ptr %thread, i64 $thread.mask$
  %value.at = getelementptr i8, ptr %thread, i64 $thread.value$
  store i32 $waits$, ptr %state.at
  store i32 %site, ptr %site.at
  store i32 %mask, ptr %mask.at
  store i64 %value, ptr %value.at
  %complete = call i1 @all_wait(ptr %launch, i32 %site, i32 %mask)
  br i1 %complete, label %exchange, label %leave
exchange:
  call void @exchange(ptr %launch, i32 %mask)
  br label %leave
leave:
  call void @pause()
  %values = getelementptr i8, ptr %thread, i64 $thread.values$
  ret ptr %values
}

; The first thread of the warp.
define internal i32 @warp() nounwind {
  %number = call i32 @emulated.read.ptx.sreg.tid.x()
  %first = and i32 %number, -32
  ret i32 %first
}

define internal i1 @all_wait(ptr %launch, i32 %site, i32 %mask) nounwind {
entry:
  %first = call i32 @warp()
  %size = call i32 @size(ptr %launch)
  br label %each
each:
  %lane = phi i32 [ 0, %entry ], [ %next, %following ]
  %low = lshr i32 %mask, %lane
  %asked = trunc i32 %low to i1
  br i1 %asked, label %look, label %following
look:
  %number = add i32 %first, %lane
  %exists = icmp slt i32 %number, %size
  br i1 %exists, label %compare, label %no
compare:
  %thread = call ptr @thread_at(ptr %launch, i32 %number)
  %state.at = getelementptr i8, ptr %thread, i64 $thread.state$
  %site.at = getelementptr i8, ptr %thread, i64 $thread.site$
  %mask.at = getelementptr i8, ptr %thread, i64 $thread.mask$
  %state = load i32, ptr %state.at
  %its.site = load i32, ptr %site.at
  %its.mask = load i32, ptr %mask.at
  %waits = icmp eq i32 %state, $waits$
  %same.site = icmp eq i32 %its.site, %site
  %same.mask = icmp eq i32 %its.mask, %mask
  %same = and i1 %same.site, %same.mask
  %there = and i1 %waits, %same
  br i1 %there, label %following, label %no
following:
  %next = add i32 %lane, 1
  %more = icmp slt i32 %next, 32
  br i1 %more, label %each, label %yes
yes:
  ret i1 true
no:
  ret i1 false
}

; Gives each lane of a mask the values of all of them, and lets them go on.
define internal void @exchange(ptr %launch, i32 %mask) nounwind {
entry:
  %all = alloca [32 x i64], align 16
  %first = call i32 @warp()
  br label %collect
collect:
  %lane = phi i32 [ 0, %entry ], [ %next, %collected ]
  %low = lshr i32 %mask, %lane
  %asked = trunc i32 %low to i1
  %to = getelementptr i64, ptr %all, i32 %lane
  store i64 $poison.word$, ptr %to
  br i1 %asked, label %take, label %collected
take:
  %number = add i32 %first, %lane
  %thread = call ptr @thread_at(ptr %launch, i32 %number)
  %value.at = getelementptr i8, ptr %thread, i64 $thread.value$
  %value = load i64, ptr %value.at
  store i64 %value, ptr %to
  br label %collected
collected:
  %next = add i32 %lane, 1
  %more = icmp slt i32 %next, 32
  br i1 %more, label %collect, label %hand.out
hand.out:
  %lane.2 = phi i32 [ 0, %collected ], [ %next.2, %handed.out ]
  %low.2 = lshr i32 %mask, %lane.2
  %asked.2 = trunc i32 %low.2 to i1
  br i1 %asked.2, label %give, label %handed.out
give:
  %number.2 = add i32 %first, %lane.2
  %thread.2 = call ptr @thread_at(ptr %launch, i32 %number.2)
  %values = getelementptr i8, ptr %thread.2, i64 $thread.values$
  %state.at = getelementptr i8, ptr %thread.2, i64 $thread.state$
  call void @llvm.memcpy.p0.p0.i64(ptr %values, ptr %all, i64 256, i1 false)
  store i32 $ready$, ptr %state.at
  br label %handed.out
handed.out:
  %next.2 = add i32 %lane.2, 1
  %more.2 = icmp slt i32 %next.2, 32
  br i1 %more.2, label %hand.out, label %done
done:
  ret void
}
