; What runs the threads of a grid on the CPU: one after the other, or as fibers where they wait for others; behind
; fibers.ll or fibers_by_library.ll. emulated_threads_code has the values of `$...$`: offsets of the fields of a
; Launch and a Thread.

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; The launch, the thread, and the code that runs one thread after the other.
@launch = internal global ptr null
@thread = internal global ptr null
@scheduler = internal global [$context$ x i8] zeroinitializer, align 64

; An element of the device's memory, which is the host's here.
define i32 @irtensor.read(ptr %context, ptr %address, i64 %bytes, ptr %target) nounwind {
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %address, i64 %bytes, i1 false)
  ret i32 0
}

; Writes a pattern of some bytes again and again, up to a length in bytes.
define internal void @repeat(ptr %memory, i32 %pattern, i64 %bytes, i64 %length) nounwind {
entry:
  br label %each
each:
  %at = phi i64 [ 0, %entry ], [ %next, %store ]
  %more = icmp slt i64 %at, %length
  br i1 %more, label %store, label %done
store:
  %number = urem i64 %at, %bytes
  %bits = shl i64 %number, 3
  %shift = trunc i64 %bits to i32
  %shifted = lshr i32 %pattern, %shift
  %byte = trunc i32 %shifted to i8
  %byte.at = getelementptr i8, ptr %memory, i64 %at
  store i8 %byte, ptr %byte.at
  %next = add i64 %at, 1
  br label %each
done:
  ret void
}

; Writes a pattern of some bytes so many times, one behind the other.
define i32 @irtensor.memset(ptr %context, ptr %address, i32 %pattern, i64 %bytes, i64 %count) nounwind {
  %length = mul i64 %count, %bytes
  call void @repeat(ptr %address, i32 %pattern, i64 %bytes, i64 %length)
  ret i32 0
}

; Overwrites memory with what nobody has stored there.
define void @irtensor.poison(ptr %memory, i64 %bytes) nounwind {
  call void @repeat(ptr %memory, i32 $poison$, i64 2, i64 %bytes)
  ret void
}

define i32 @emulated.read.ptx.sreg.laneid() nounwind {
  %number = call i32 @emulated.read.ptx.sreg.tid.x()
  %lane = and i32 %number, 31
  ret i32 %lane
}

; Runs the kernel for the thread that the registers say.
define internal void @run(ptr %launch) nounwind {
  %emulate.at = getelementptr i8, ptr %launch, i64 $launch.emulate$
  %kernel.at = getelementptr i8, ptr %launch, i64 $launch.kernel$
  %words.at = getelementptr i8, ptr %launch, i64 $launch.words$
  %emulate = load ptr, ptr %emulate.at
  %kernel = load i64, ptr %kernel.at
  %words = load ptr, ptr %words.at
  call void %emulate(i64 %kernel, ptr %words)
  ret void
}

; Runs threads that wait for no others: all of a grid, in the order of `threads`, by their numbers in the grid.
define void @irtensor.emulate_threads(ptr %launch, ptr %words, ptr %threads, i64 %count) nounwind {
entry:
  %words.at = getelementptr i8, ptr %launch, i64 $launch.words$
  store ptr %words, ptr %words.at
  %tid.at = getelementptr i8, ptr %launch, i64 $launch.tid$
  %ctaid.at = getelementptr i8, ptr %launch, i64 $launch.ctaid$
  %size = call i32 @size(ptr %launch)
  store ptr %launch, ptr @launch
  br label %each
each:
  %index = phi i64 [ 0, %entry ], [ %next, %each ]
  %number.at = getelementptr i32, ptr %threads, i64 %index
  %number = load i32, ptr %number.at
  %block = udiv i32 %number, %size
  %own = urem i32 %number, %size
  store i32 %block, ptr %ctaid.at
  store i32 %own, ptr %tid.at
  call void @run(ptr %launch)
  %next = add i64 %index, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %each, label %done
done:
  ret void
}

define internal i32 @size(ptr %launch) nounwind {
  %size.at = getelementptr i8, ptr %launch, i64 $launch.ntid$
  %size = load i32, ptr %size.at
  ret i32 %size
}

define internal ptr @thread_at(ptr %launch, i32 %number) nounwind {
  %threads.at = getelementptr i8, ptr %launch, i64 $launch.threads$
  %threads = load ptr, ptr %threads.at
  %wide = zext i32 %number to i64
  %distance = mul i64 %wide, $thread$
  %thread = getelementptr i8, ptr %threads, i64 %distance
  ret ptr %thread
}

; Runs blocks, one after the other; 1 if threads of one of them wait for others that do not come.
define i32 @irtensor.emulate_blocks(ptr %launch, ptr %words) nounwind {
entry:
  %words.at = getelementptr i8, ptr %launch, i64 $launch.words$
  store ptr %words, ptr %words.at
  %blocks.at = getelementptr i8, ptr %launch, i64 $launch.blocks$
  %count.at = getelementptr i8, ptr %launch, i64 $launch.nctaid$
  %poison.at = getelementptr i8, ptr %launch, i64 $launch.poison$
  %ctaid.at = getelementptr i8, ptr %launch, i64 $launch.ctaid$
  %blocks = load ptr, ptr %blocks.at
  %count = load i32, ptr %count.at
  %poison = load ptr, ptr %poison.at
  store ptr %launch, ptr @launch
  br label %each
each:
  %index = phi i32 [ 0, %entry ], [ %next, %following ]
  %block.at = getelementptr i32, ptr %blocks, i32 %index
  %block = load i32, ptr %block.at
  store i32 %block, ptr %ctaid.at
  call void %poison()
  call void @start_block(ptr %launch)
  %fine = call i1 @run_block(ptr %launch)
  br i1 %fine, label %following, label %stuck
following:
  %next = add i32 %index, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %each, label %done
done:
  ret i32 0
stuck:
  ret i32 1
}

define internal void @start_block(ptr %launch) nounwind {
entry:
  %live.at = getelementptr i8, ptr %launch, i64 $launch.live$
  %at.barrier.at = getelementptr i8, ptr %launch, i64 $launch.at_barrier$
  %stacks.at = getelementptr i8, ptr %launch, i64 $launch.stacks$
  %distance.at = getelementptr i8, ptr %launch, i64 $launch.stack_distance$
  %bytes.at = getelementptr i8, ptr %launch, i64 $launch.stack_bytes$
  %stacks = load ptr, ptr %stacks.at
  %distance = load i64, ptr %distance.at
  %bytes = load i64, ptr %bytes.at
  %before = sub i64 %distance, %bytes
  %size = call i32 @size(ptr %launch)
  store i32 %size, ptr %live.at
  store i32 0, ptr %at.barrier.at
  br label %each
each:
  %number = phi i32 [ 0, %entry ], [ %next, %each ]
  %thread = call ptr @thread_at(ptr %launch, i32 %number)
  %state.at = getelementptr i8, ptr %thread, i64 $thread.state$
  store i32 $ready$, ptr %state.at
  %wide = zext i32 %number to i64
  %offset = mul i64 %wide, %distance
  %begin = add i64 %offset, %before
  %stack = getelementptr i8, ptr %stacks, i64 %begin
  %own.bytes = sub i64 %bytes, $context$
  %context = getelementptr i8, ptr %stack, i64 %own.bytes
  %context.at = getelementptr i8, ptr %thread, i64 $thread.context$
  store ptr %context, ptr %context.at
  call void @prepare(ptr %context, ptr %stack, i64 %own.bytes)
  %next = add i32 %number, 1
  %more = icmp slt i32 %next, %size
  br i1 %more, label %each, label %done
done:
  ret void
}

; Runs the threads of a block that can go on, until all have ended; false if some have not and none can. A round ends
; after each switch of greedy threads, so that the first one that can go on does so.
define internal i1 @run_block(ptr %launch) nounwind {
entry:
  %tid.at = getelementptr i8, ptr %launch, i64 $launch.tid$
  %live.at = getelementptr i8, ptr %launch, i64 $launch.live$
  %orders.at = getelementptr i8, ptr %launch, i64 $launch.orders$
  %rows.at = getelementptr i8, ptr %launch, i64 $launch.rows$
  %rounds.at = getelementptr i8, ptr %launch, i64 $launch.rounds$
  %orders = load ptr, ptr %orders.at
  %rows = load i64, ptr %rows.at
  %greedy.at = getelementptr i8, ptr %launch, i64 $launch.greedy$
  %greedy = load i64, ptr %greedy.at
  %is.greedy = icmp ne i64 %greedy, 0
  %size = call i32 @size(ptr %launch)
  %wide.size = zext i32 %size to i64
  br label %round
round:
  %rounds = load i64, ptr %rounds.at
  %following.rounds = add i64 %rounds, 1
  store i64 %following.rounds, ptr %rounds.at
  %row = urem i64 %rounds, %rows
  %begin = mul i64 %row, %wide.size
  %order = getelementptr i32, ptr %orders, i64 %begin
  br label %each
each:
  %index = phi i32 [ 0, %round ], [ %next, %following ]
  %any.before = phi i1 [ false, %round ], [ %any, %following ]
  %number.at = getelementptr i32, ptr %order, i32 %index
  %number = load i32, ptr %number.at
  %thread = call ptr @thread_at(ptr %launch, i32 %number)
  %state.at = getelementptr i8, ptr %thread, i64 $thread.state$
  %state = load i32, ptr %state.at
  %ready = icmp eq i32 %state, $ready$
  br i1 %ready, label %go, label %following
go:
  store i32 %number, ptr %tid.at
  store ptr %thread, ptr @thread
  %context.at = getelementptr i8, ptr %thread, i64 $thread.context$
  %context = load ptr, ptr %context.at
  call void @switch(ptr @scheduler, ptr %context)
  br i1 %is.greedy, label %round, label %following
following:
  %any = phi i1 [ %any.before, %each ], [ true, %go ]
  %next = add i32 %index, 1
  %more = icmp slt i32 %next, %size
  br i1 %more, label %each, label %look
look:
  %live = load i32, ptr %live.at
  %done = icmp eq i32 %live, 0
  br i1 %done, label %ended, label %left
left:
  br i1 %any, label %round, label %ended
ended:
  ret i1 %done
}

; What a fiber runs.
define internal void @begin() noreturn nounwind {
  %launch = load ptr, ptr @launch
  call void @run(ptr %launch)
  %live.at = getelementptr i8, ptr %launch, i64 $launch.live$
  %live = load i32, ptr %live.at
  %left = sub i32 %live, 1
  store i32 %left, ptr %live.at
  call void @stop(ptr %launch, i32 $ended$)
  unreachable
}
