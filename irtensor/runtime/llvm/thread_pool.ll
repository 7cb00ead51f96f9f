; What threads of a pool run while they wait for work, and how a kernel gives them some; behind interruption.ll. All
; state is in the memory of the pool, and a job lies on the stack of the kernel that gives it. `pool_code` defines
; @pause.

declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i64 @llvm.smin.i64(i64, i64)

; body, captured values, first iteration that is not taken, end of those that are not, threads that may join, status,
; iterations that are not taken
%job = type { ptr, ptr, i64, i64, i64, i32, i64 }

; One iteration after the other until there are none left; whoever runs into a failure leaves none to the others. The
; thread that called the kernel, which has a pool here, takes them in order, so that each may go on where the one before
; ended; the others take the last ones. Who takes one from the number of those left may take one at either end.
; Without a pool nobody looks for Ctrl-C: that is for the thread that called the kernel. Iterations that take long ask
; by themselves whether to go on, with the context.
define internal void @iterations(ptr %job, ptr %pool, ptr %context) {
entry:
  %body.at = getelementptr %job, ptr %job, i32 0, i32 0
  %captured.at = getelementptr %job, ptr %job, i32 0, i32 1
  %next.at = getelementptr %job, ptr %job, i32 0, i32 2
  %end.at = getelementptr %job, ptr %job, i32 0, i32 3
  %status.at = getelementptr %job, ptr %job, i32 0, i32 5
  %left.at = getelementptr %job, ptr %job, i32 0, i32 6
  %body = load ptr, ptr %body.at
  %captured = load ptr, ptr %captured.at
  %checks = icmp ne ptr %pool, null
  br i1 %checks, label %start, label %take
start:
  %begin = call i64 @now()
  br label %take
take:
  %last = phi i64 [ 0, %entry ], [ %begin, %start ], [ %last, %continue ], [ %last, %look ], [ %time, %signals ]
  %left = atomicrmw sub ptr %left.at, i64 1 seq_cst
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %choose, label %out
choose:
  br i1 %checks, label %first, label %other
first:
  %next = atomicrmw add ptr %next.at, i64 1 seq_cst
  br label %run
other:
  %end = atomicrmw sub ptr %end.at, i64 1 seq_cst
  %before = sub i64 %end, 1
  br label %run
run:
  %iteration = phi i64 [ %next, %first ], [ %before, %other ]
  %status = call i32 %body(ptr %captured, i64 %iteration, ptr %context)
  %good = icmp eq i32 %status, 0
  br i1 %good, label %continue, label %fail
continue:
  br i1 %checks, label %look, label %take
look:
  %time = call i64 @now()
  %due = call i1 @is_due(i64 %time, i64 %last)
  br i1 %due, label %signals, label %take
signals:
  %interrupted = call i32 @interrupted(ptr %pool)
  %quiet = icmp eq i32 %interrupted, 0
  br i1 %quiet, label %take, label %fail
fail:
  %reason = phi i32 [ %status, %run ], [ %interrupted, %signals ]
  %ignored = cmpxchg ptr %status.at, i32 0, i32 %reason seq_cst seq_cst
  store atomic i64 0, ptr %left.at seq_cst, align 8
  br label %out
out:
  ret void
}

; Wakes so many threads, or all if these are most of them: to wake one in vain takes longer than an iteration.
define internal void @wake(ptr %pool, i64 %wanted) {
entry:
  %work = getelementptr %pool, ptr %pool, i32 0, i32 1
  %workers.at = getelementptr %pool, ptr %pool, i32 0, i32 8
  %workers = load i64, ptr %workers.at
  %doubled = shl i64 %wanted, 1
  %most = icmp sgt i64 %doubled, %workers
  br i1 %most, label %all, label %some
all:
  %b = call i32 @pthread_cond_broadcast(ptr %work)
  ret void
some:
  %woken = phi i64 [ 0, %entry ], [ %following, %some ]
  %s = call i32 @pthread_cond_signal(ptr %work)
  %following = add i64 %woken, 1
  %more = icmp slt i64 %following, %wanted
  br i1 %more, label %some, label %enough
enough:
  ret void
}

; What a thread of the pool runs, for ever. It looks for work 400 times, for some 30 ns each, before it sleeps.
define ptr @worker(ptr %pool) {
entry:
  %own = alloca %context, align 8
  %own.status.at = getelementptr %context, ptr %own, i32 0, i32 5
  %mutex = getelementptr %pool, ptr %pool, i32 0, i32 0
  %work = getelementptr %pool, ptr %pool, i32 0, i32 1
  %done = getelementptr %pool, ptr %pool, i32 0, i32 2
  %job.at = getelementptr %pool, ptr %pool, i32 0, i32 4
  %generation.at = getelementptr %pool, ptr %pool, i32 0, i32 5
  %joined.at = getelementptr %pool, ptr %pool, i32 0, i32 6
  %active.at = getelementptr %pool, ptr %pool, i32 0, i32 7
  br label %idle
idle:
  %seen = phi i64 [ 0, %entry ], [ %current, %awake ], [ %current, %after ], [ %current, %last ]
  br label %spin
spin:
  %spins = phi i64 [ 0, %idle ], [ %following, %pause ]
  %newest = load atomic i64, ptr %generation.at monotonic, align 8
  %same = icmp eq i64 %newest, %seen
  %following = add i64 %spins, 1
  %patient = icmp slt i64 %following, 400
  %again = and i1 %same, %patient
  br i1 %again, label %pause, label %lock
pause:
  call void @pause()
  br label %spin
lock:
  %l1 = call i32 @pthread_mutex_lock(ptr %mutex)
  br label %look
look:
  %current = load i64, ptr %generation.at
  %job = load ptr, ptr %job.at
  %none = icmp eq ptr %job, null
  %known = icmp eq i64 %current, %seen
  %nothing = or i1 %none, %known
  br i1 %nothing, label %sleep, label %found
sleep:
  %w = call i32 @pthread_cond_wait(ptr %work, ptr %mutex)
  br label %look
found:
  %limit.at = getelementptr %job, ptr %job, i32 0, i32 4
  %limit = load i64, ptr %limit.at
  %joined = load i64, ptr %joined.at
  %welcome = icmp slt i64 %joined, %limit
  br i1 %welcome, label %join, label %awake
awake:
  %u0 = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %idle
join:
  %joined.1 = add i64 %joined, 1
  store i64 %joined.1, ptr %joined.at
  %active = load i64, ptr %active.at
  %active.1 = add i64 %active, 1
  store i64 %active.1, ptr %active.at
  %u1 = call i32 @pthread_mutex_unlock(ptr %mutex)
  %status.at = getelementptr %job, ptr %job, i32 0, i32 5
  store ptr %status.at, ptr %own.status.at
  call void @iterations(ptr %job, ptr null, ptr %own)
  %l2 = call i32 @pthread_mutex_lock(ptr %mutex)
  %active.2 = load i64, ptr %active.at
  %active.3 = sub i64 %active.2, 1
  store i64 %active.3, ptr %active.at
  %u2 = call i32 @pthread_mutex_unlock(ptr %mutex)
  %alone = icmp eq i64 %active.3, 0
  br i1 %alone, label %last, label %after
last:
  %s = call i32 @pthread_cond_signal(ptr %done)
  br label %idle
after:
  br label %idle
}

; Runs the iterations of a parallel loop on the calling thread and those of the pool; gives the status of a failed one.
define i32 @run(ptr %context, ptr %body, ptr %captured, i64 %begin, i64 %end) {
entry:
  %job = alloca %job
  %body.at = getelementptr %job, ptr %job, i32 0, i32 0
  %captured.at = getelementptr %job, ptr %job, i32 0, i32 1
  %next.at = getelementptr %job, ptr %job, i32 0, i32 2
  %end.at = getelementptr %job, ptr %job, i32 0, i32 3
  %limit.at = getelementptr %job, ptr %job, i32 0, i32 4
  %status.at = getelementptr %job, ptr %job, i32 0, i32 5
  %left.at = getelementptr %job, ptr %job, i32 0, i32 6
  %iterations = sub i64 %end, %begin
  %threads.at = getelementptr %context, ptr %context, i32 0, i32 3
  %threads = load i64, ptr %threads.at
  %useful = call i64 @llvm.smin.i64(i64 %threads, i64 %iterations)
  %limit = sub i64 %useful, 1
  store ptr %body, ptr %body.at
  store ptr %captured, ptr %captured.at
  store i64 %begin, ptr %next.at
  store i64 %end, ptr %end.at
  store i64 %limit, ptr %limit.at
  store i32 0, ptr %status.at
  store i64 %iterations, ptr %left.at
  %pool.at = getelementptr %context, ptr %context, i32 0, i32 4
  %pool = load ptr, ptr %pool.at
  %mutex = getelementptr %pool, ptr %pool, i32 0, i32 0
  %work = getelementptr %pool, ptr %pool, i32 0, i32 1
  %done = getelementptr %pool, ptr %pool, i32 0, i32 2
  %busy.at = getelementptr %pool, ptr %pool, i32 0, i32 3
  %pool.job.at = getelementptr %pool, ptr %pool, i32 0, i32 4
  %generation.at = getelementptr %pool, ptr %pool, i32 0, i32 5
  %joined.at = getelementptr %pool, ptr %pool, i32 0, i32 6
  %active.at = getelementptr %pool, ptr %pool, i32 0, i32 7
  %claim = cmpxchg ptr %busy.at, i64 0, i64 1 seq_cst seq_cst
  %free = extractvalue { i64, i1 } %claim, 1
  br i1 %free, label %shared, label %alone
alone:
  call void @iterations(ptr %job, ptr %pool, ptr %context)
  br label %out
shared:
  %l1 = call i32 @pthread_mutex_lock(ptr %mutex)
  store ptr %job, ptr %pool.job.at
  store i64 0, ptr %joined.at
  %generation = load i64, ptr %generation.at
  %generation.1 = add i64 %generation, 1
  store atomic i64 %generation.1, ptr %generation.at monotonic, align 8
  %u1 = call i32 @pthread_mutex_unlock(ptr %mutex)
  call void @wake(ptr %pool, i64 %limit)
  call void @iterations(ptr %job, ptr %pool, ptr %context)
  %l2 = call i32 @pthread_mutex_lock(ptr %mutex)
  store ptr null, ptr %pool.job.at
  br label %check
check:
  %active = load i64, ptr %active.at
  %waiting = icmp ne i64 %active, 0
  br i1 %waiting, label %wait, label %finished
wait:
  %w = call i32 @pthread_cond_wait(ptr %done, ptr %mutex)
  br label %check
finished:
  %u2 = call i32 @pthread_mutex_unlock(ptr %mutex)
  store atomic i64 0, ptr %busy.at seq_cst, align 8
  br label %out
out:
  %status = load i32, ptr %status.at
  ret i32 %status
}
